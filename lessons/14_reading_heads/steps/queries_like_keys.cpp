#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps/common.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/basis.h"
#include "lessons/tasks/grammar.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// The largest mean cosine of a head, whatever its sign.
double largest_of_heads(const QueryKeyMeasures& measures) {
  return course::largest(mean(measures.cosines, /*axes=*/{2}));
}

}  // namespace

void queries_like_keys(Step& step) {
  const bool in_other_basis = step.broken("other-basis");
  const std::int64_t models = step.whole("seeds");
  const Tensor stretched = tasks::stretched_axis(kHeadDim, 100);
  step.formula("m_h = mean over words of cos(q_i, k_i) in head h      2 layers, 4 heads of 8");
  const double first = largest_of_heads(measures(step, reader_of(step, 0, 2)));
  step.predict("How large is the largest |m_h| of the eight heads of a trained model?",
               {"below 0.1", "0.1 to 0.6", "above 0.6"},
               first < 0.1   ? 0
               : first < 0.6 ? 1
                             : 2);
  auto table = step.table("largest |m_h| of 8 heads; mean m_h of a layer",
                          {"start", "trained", "layer 0", "layer 1", "t = 100"});
  double lowest = 1e9, highest = 0, elsewhere = 0, off = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const LanguageReader reader = reader_of(step, model, 2);
    LanguageReader start = reader;
    start.updates = 0;
    const QueryKeyMeasures at_start = measures(step, start),
                           other = measures(step, reader, stretched);
    const QueryKeyMeasures trained = in_other_basis ? other : measures(step, reader);
    const double largest = largest_of_heads(trained);
    const Tensor by_layer = mean(trained.cosines, /*axes=*/{1, 2});
    table.digits(3).row(
        fmt::format("model {}", model),
        {largest_of_heads(at_start), largest, by_layer.at({0}), by_layer.at({1}),
         largest_of_heads(other)},
        model == 0 ? "start: before training; t = 100: trained, another basis" : "");
    lowest = std::min(lowest, largest);
    highest = std::max(highest, largest);
    elsewhere = std::max(elsewhere, largest_of_heads(other));
    off = std::max(off, std::abs(other.loss - trained.loss));
    if (model > 0) continue;
    const Tensor before = mean(at_start.cosines, /*axes=*/{2}), after = mean(trained.cosines, {2});
    step.tensor("m", after)
        .axes("layer", "head")
        .explain(Explain::given("mean of cos(q_i, k_i) over 2048 words, model 0, trained"));
    auto& bars = step.picture(course::Bars("model 0: m_h", {"start", "trained"}));
    bars.digits(3);
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      for (std::int64_t head = 0; head < 4; ++head) {
        bars.group(fmt::format("layer {} head {}", layer, head),
                   {before.at({layer, head}), after.at({layer, head})});
      }
    }
  }
  step.claim("B44", Evidence::kTensor, /*cases=*/models * 8)
      .seeds(static_cast<int>(models))
      .as_stated(lowest > 0.1)
      .right(lowest > 0.1 && elsewhere < 0.1 && off < kSameLoss)
      .value(lowest)
      .interval(lowest, highest)
      .expected("largest |m_h| > 0.1 in every model; < 0.1 in another basis, same loss")
      .tolerance("the bound is the claim's; every model")
      .found(fmt::format("{:.3f} to {:.3f}; another basis {:.3f} at most, loss off by {:.1g}",
                         lowest, highest, elsewhere, off));
  step.why(
      "A word may look at words like itself, and then q and k point alike, a little. But random "
      "heads reach 0.1 to 0.2 as well, and another basis takes it all away.");
  step.try_next({"./gradwalk run 14 --claim=B44 --break=other-basis",
                 "./gradwalk run 14 --claim=B44 --predict"});
}

}  // namespace gradwalk::lesson_14
