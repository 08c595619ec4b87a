#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/11_many_heads/language_heads.h"
#include "lessons/11_many_heads/steps/common.h"
#include "lessons/11_many_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"

namespace gradwalk::lesson_11 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// How far heads are apart while models learn, by updates.
struct Course {
  std::vector<double> updates;
  std::vector<course::Spread> maps, outputs;  // over models
};

Course follow(Step& step, HeadStart start, const std::vector<std::int64_t>& updates) {
  Course course;
  for (const std::int64_t at : updates) {
    std::vector<double> maps, outputs;
    for (std::int64_t model = 0; model < step.whole("models"); ++model) {
      LanguageHeads heads = heads_of(step, model);
      heads.start = start;
      heads.updates = at;
      const HeadsApart apart = heads_apart(step, heads);
      maps.push_back(apart.maps);
      outputs.push_back(apart.outputs);
    }
    course.updates.push_back(static_cast<double>(at));
    course.maps.push_back(course::spread_of(maps));
    course.outputs.push_back(course::spread_of(outputs));
  }
  return course;
}

std::vector<double> means(const std::vector<course::Spread>& spreads) {
  std::vector<double> all;
  for (const course::Spread& spread : spreads) all.push_back(spread.mean);
  return all;
}

void record_attention(Step& step, const std::string& when, const LanguageHeads& heads) {
  const FirstLayerAttention attention = first_layer_attention(step, heads);
  step.tensor("s_" + when, attention.scores)
      .axes("head", "word")
      .columns(attention.words)
      .explain(Explain::given("q.k / sqrt(8) of the first layer, query: the last of ten words"));
  step.tensor("w_" + when, attention.weights)
      .axes("head", "word")
      .columns(attention.words)
      .explain(Explain::softmax("s_" + when));
}

}  // namespace

void alike_at_first(Step& step) {
  const HeadStart start = step.broken("small-start") ? HeadStart::kSmall : HeadStart::kUsual;
  const std::int64_t last = step.whole("language_updates"), models = step.whole("models");
  const std::vector<std::int64_t> all = {0, last / 6, last / 2, last};
  const Course usual = follow(step, start, all);
  const Course small = follow(step, HeadStart::kSmall, all);
  const Course copies = follow(step, HeadStart::kCopies, {0, last / 6, last / 2});
  step.formula("a model learns a little language: 40 words, 2 layers, 4 heads of 8");
  step.formula("apart: Jensen-Shannon divergence of two heads' weights p and q, mean of all pairs");
  step.formula(
      "[KL(p, m) + KL(q, m)] / 2 in bits, m = (p + q) / 2      KL(p, m) = sum p log2(p / m)");
  step.formula("0 bits: the same map      1 bit: no word in common");
  step.predict(
      "Four heads begin with random weights of the usual size. How far apart are their maps?",
      {"hardly at all, they part later", "more than half as far as in the end"},
      usual.maps.front().mean > usual.maps.back().mean / 2 ? 1 : 0);
  std::vector<std::string> columns;
  for (const std::int64_t at : all) columns.push_back(fmt::format("{}", at));
  auto table = step.table(fmt::format("bits apart after updates; models: {}", models), columns);
  const double first_low = usual.maps.front().lowest, first_high = usual.maps.front().highest;
  table.digits(4)
      .row("usual start", means(usual.maps))
      .row("W_Q, W_K times 0.1", means(small.maps), "all maps begin nearly even, so nearly alike");
  step.number(fmt::format("copies of one head, {} updates", last / 2), copies.maps.back().highest,
              "bits apart, the largest of the models");
  auto outputs = step.table("cosine of what two heads add to x", {"at first", "in the end"});
  outputs.digits(3)
      .row("usual start", {usual.outputs.front().mean, usual.outputs.back().mean})
      .row("W_Q, W_K times 0.1", {small.outputs.front().mean, small.outputs.back().mean},
           "the same map, and yet other values: nothing in common")
      .row("copies of one head", {copies.outputs.front().mean, copies.outputs.back().mean});
  step.picture(course::Curves("bits apart, mean of the models", "updates"))
      .series("usual", usual.updates, means(usual.maps))
      .series("times 0.1", small.updates, means(small.maps))
      .series("copies", copies.updates, means(copies.maps));
  LanguageHeads first = heads_of(step, 0);
  first.updates = 0;
  record_attention(step, "usual", first);
  first.start = HeadStart::kSmall;
  record_attention(step, "small", first);
  first.updates = last;
  record_attention(step, "trained", first);
  step.picture(course::Heatmap(
      "four heads of the first layer look back from the last word: the usual start, the small "
      "one, and what comes of the small one",
      {"w_usual", "w_small", "w_trained"}));
  const bool small_parts = small.maps.front().highest < 0.01 && small.maps.back().lowest > 0.1;
  step.claim("B36", Evidence::kTensor, /*cases=*/3 * 12 * models)
      .seeds(static_cast<int>(models))
      .as_stated(first_high < 0.01 && usual.maps.back().lowest > 0.1)
      .right(first_low > 0.1 && small_parts && copies.maps.back().highest < 1e-3)
      .value(usual.maps.front().mean)
      .interval(first_low, first_high)
      .expected("usual start > 0.1; times 0.1: < 0.01, then > 0.1; copies < 0.001")
      .tolerance("the bounds are the claim's, in bits; in every model")
      .found(fmt::format("usual {:.3f} to {:.3f}; times 0.1 {:.4f} to {:.3f}; copies {:.1g}",
                         usual.maps.front().mean, usual.maps.back().mean, small.maps.front().mean,
                         small.maps.back().mean, copies.maps.back().highest));
  step.why(
      "Heads drawn one by one differ at once; only near-zero scores make all maps even. True "
      "copies "
      "get equal gradients and never part.");
  step.try_next({"./gradwalk run 11 --claim=B36 --break=small-start",
                 "./gradwalk run 11 --claim=B36 --predict"});
}

}  // namespace gradwalk::lesson_11
