#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/20_diagnosing/cls_encoder.h"
#include "lessons/20_diagnosing/depths.h"
#include "lessons/20_diagnosing/digit_task.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/statistics/summary.h"
#include "tensor/create.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kLooks = 2;  // ratio

constexpr double kLearned = 0.9;  // share right

void record_heads(Step& step, const std::string& name, const EncoderDepth& depth,
                  double EncoderHead::*what, const std::string& text) {
  std::vector<double> values;
  for (const EncoderHead& head : depth.models.front().heads) values.push_back(head.*what);
  std::vector<std::string> layers;
  for (std::int64_t layer = 0; layer < depth.options.layers; ++layer) {
    layers.push_back(fmt::format("layer {}", layer));
  }
  step.tensor(name,
              from_vector(values, {depth.options.layers, depth.options.heads}, DType::kFloat64))
      .axes("layer", "head")
      .rows(layers)
      .explain(Explain::given(text));
}

}  // namespace

void layer_by_layer(Step& step) {
  const std::int64_t models = step.whole("encoders"), few = step.whole("digit_encoders");
  step.formula("encoders of several layers, 4 heads, width 32, with positions, norms");
  step.formula("and feed-forward layers. Asked: the largest number of the text");
  step.formula("digits: 4 items of two digits, 0 to 3; an item is worth 4 high + low");
  step.formula("ratio: weight of [CLS] on a number / on a noun; above 2: it looks");
  step.formula("w: weight on the answer's tokens, mean of a layer's heads");
  step.formula("even: 1/9 = 0.111; digits, two tokens: 2/9 = 0.222");
  const bool whole = step.broken("whole-numbers");
  std::vector<EncoderDepth> numbers, digits;
  for (std::int64_t layers = step.quick() ? 3 : 1; layers <= 3; ++layers) {
    ClsEncoderOptions options;
    options.layers = layers;
    options.updates = static_cast<int>(step.whole("encoder_updates"));
    numbers.push_back(trained_depth(step, options, models));
  }
  for (std::int64_t layers = step.quick() ? 2 : 1; layers <= 2; ++layers) {
    ClsEncoderOptions options;
    options.task = DigitTask{};
    options.layers = layers;
    options.updates = static_cast<int>(step.whole("digit_updates"));
    digits.push_back(whole ? numbers.back() : trained_depth(step, options, few));
  }
  std::vector<double> looking, others;
  auto table = step.table(fmt::format("one token a number, {} encoders of each depth", models),
                          {"w", "best head", "looking", "gap", "right"});
  for (const EncoderDepth& depth : numbers) {
    for (std::int64_t layer = 0; layer < depth.options.layers; ++layer) {
      const std::vector<double> ratios = depth.of_layer(layer, &EncoderHead::ratio);
      const std::vector<double> gaps = depth.of_layer(layer, &EncoderHead::gap);
      double look = 0;
      for (std::size_t i = 0; i < ratios.size(); ++i) {
        const bool looks = ratios[i] > kLooks;
        look += looks / static_cast<double>(ratios.size());
        (looks ? looking : others).push_back(gaps[i]);
      }
      table.digits({3, 2, 2, 2, 3})
          .row(
              fmt::format("layer {} of {}", layer, depth.options.layers),
              {depth.mean_of(layer, &EncoderHead::on_answer), depth.best(layer), look,
               depth.mean_of(layer, &EncoderHead::gap), depth.right().mean},
              layer == 0 && &depth == &numbers.front() ? "looking: share of heads, ratio > 2" : "");
    }
  }
  auto digit_table = step.table(fmt::format("digits, {} encoders of each depth", few),
                                {"w", "best head", "right"});
  for (const EncoderDepth& depth : digits) {
    for (std::int64_t layer = 0; layer < depth.options.layers; ++layer) {
      digit_table.digits({3, 2, 3}).row(
          fmt::format("layer {} of {}", layer, depth.options.layers),
          {depth.mean_of(layer, &EncoderHead::on_answer), depth.best(layer), depth.right().mean},
          depth.options.layers == 1 ? "one layer cannot put two digits together" : "");
    }
  }
  const auto mean = [](const std::vector<double>& values) {
    return values.empty() ? 0 : nn::summarize(values).mean;
  };
  step.number("gap where ratio > 2", mean(looking), fmt::format("{} heads", looking.size()), 2);
  step.number("gap of the others", mean(others), fmt::format("{} heads", others.size()), 2);
  const EncoderDepth &deepest = numbers.back(), &composed = digits.back();
  auto& bars = step.picture(course::Bars("w: mean weight of a layer's heads on the answer", {"w"}));
  for (const EncoderDepth* depth : {&deepest, &composed}) {
    for (std::int64_t layer = 0; layer < depth->options.layers; ++layer) {
      bars.digits(2).group(
          fmt::format("{}, layer {}",
                      std::holds_alternative<DigitTask>(depth->options.task) ? "digits" : "numbers",
                      layer),
          {depth->mean_of(layer, &EncoderHead::on_answer)});
    }
  }
  record_heads(step, "ratio", deepest, &EncoderHead::ratio,
               "of the deepest encoder 0: numbers / nouns");
  record_heads(step, "gap", deepest, &EncoderHead::gap, "of the same: mean cosines of q and k");
  record_heads(step, "w_digits", composed, &EncoderHead::on_answer,
               "digits, encoder 0: weight on the two tokens of the largest item");
  step.picture(course::Heatmap("by layer and head, encoder 0: who looks at numbers, and who aligns",
                               {"ratio", "gap", "w_digits"}));
  const bool learned = deepest.right().lowest > kLearned && composed.right().lowest > kLearned;
  const bool selects = !looking.empty() && !others.empty() && mean(looking) > mean(others);
  const double of_numbers = deepest.later_less_first(&EncoderHead::on_answer);
  const double of_digits = composed.later_less_first(&EncoderHead::on_answer);
  step.predict("One token a number, 3 layers. Where is the largest number looked at most?",
               {"in the first layer", "in the later ones"}, of_numbers > 0 ? 1 : 0);
  step.claim("A17", Evidence::kTensor, /*cases=*/std::ssize(looking) + std::ssize(others) + 8 * few)
      .seeds(static_cast<int>(models))
      .as_stated(learned && selects && of_numbers > 0 && of_digits > 0)
      .right(learned && selects && of_numbers < 0 && of_digits > 0)
      .value(of_numbers)
      .expected("gap: ratio > 2 above the others; w, later layers - first: numbers < 0, digits > 0")
      .tolerance("the rule compares means of heads; encoders right in > 0.9")
      .found(fmt::format("gap {:.2f} and {:.2f}; later - first layer {:+.2f}, digits {:+.2f}",
                         mean(looking), mean(others), of_numbers, of_digits));
  step.why(
      "What can be compared as it comes is compared at once, in the first layer. Only numbers that "
      "must first be put together wait for a later one.");
  step.try_next({"./gradwalk run 20 --claim=A17 --break=whole-numbers",
                 "./gradwalk run 20 --claim=A17 --predict"});
}

}  // namespace gradwalk::lesson_20
