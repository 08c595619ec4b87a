#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/attention.h"
#include "lessons/09_causal_mask/masks.h"
#include "lessons/09_causal_mask/steps/common.h"
#include "lessons/09_causal_mask/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/triangle.h"

namespace gradwalk::lesson_09 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

void record_four_words(Step& step, double hidden) {
  const std::vector<std::string> words = {"why", "the", "cats", "hear"};
  Generator generator = step.generator("four words");
  const Tensor q = normal({4, 3}, generator), k = normal({4, 3}, generator);
  const Tensor mask = future_mask(4, hidden);
  const AttentionMap map = attention_map(unsqueeze(q, 0), unsqueeze(k, 0), {.additive_mask = mask});
  const Tensor is_future = triu(ones({4, 4}), 1);
  const auto record = [&](const char* name, const Tensor& values) {
    return step.tensor(name, values).axes("query", "key").rows(words).columns(words);
  };
  step.tensor("q", q).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  step.tensor("k", k).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  record("s", select(map.scores.value(), 0, 0))
      .explain(Explain::contraction("ic,jc->ij", {"q", "k"}, 1 / std::sqrt(3.0)));
  record("m", mask).masked(is_future).may_be_nonfinite().explain(
      Explain::given("0 for j <= i, -inf for what comes later"));
  record("s_masked", select(map.masked.value(), 0, 0))
      .masked(is_future)
      .may_be_nonfinite()
      .explain(Explain::sum(
          {Explain::contraction("ij->ij", {"s"}), Explain::contraction("ij->ij", {"m"})}));
  record("w", select(map.weights.value(), 0, 0))
      .masked(is_future)
      .explain(Explain::softmax("s_masked"));
  step.picture(course::Heatmap("row: the word that asks; column: the word it looks at; --: hidden",
                               {"s", "s_masked", "w"}));
}

}  // namespace

void four_words(Step& step) {
  const double hidden = step.broken("finite-mask") ? -5 : -kInfinity;
  const std::int64_t seeds = step.whole("seeds");
  step.formula("s_ij = q_i.k_j / sqrt(d): how well word j fits what word i asks");
  step.formula("mask: s_ij + m_ij, m_ij = -inf for a later word (j > i), else 0");
  step.formula("w_i = softmax(s_i + m_i): exp(-inf) = 0, so its share is 0");
  step.formula("rescaled: the masked w against the unmasked w of the past / their sum");
  record_four_words(step, hidden);
  MaskEffect most;
  double least_future = 1, least_move = kInfinity;
  auto table =
      step.table("weight on later words; how far the mask moves q k v, rescaled w, k of layer 1",
                 {"w open", "w masked", "q k v", "rescaled", "layer 1 k"});
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const MaskEffect one =
        mask_effect(step.seed() + 1000 * static_cast<std::uint64_t>(seed), hidden);
    table.digits({3, 3, -1, -1, 2})
        .row(fmt::format("model {}", seed),
             {one.future, one.hidden, one.projections, one.renormalised, one.second_layer});
    most.hidden = std::max(most.hidden, one.hidden);
    most.projections = std::max(most.projections, one.projections);
    most.renormalised = std::max(most.renormalised, one.renormalised);
    most.influence = std::max(most.influence, one.influence);
    least_future = std::min(least_future, one.future);
    least_move = std::min(least_move, one.second_layer);
  }
  step.number("largest |d answer / d later word|", most.influence, "by backprop, layer 0");
  step.predict("The mask hides half of the map. Which of q, k, v of that layer change?",
               {"k and v of hidden words", "none"}, most.projections == 0 ? 1 : 0);
  const bool exact = most.hidden == 0 && most.projections == 0 && least_future > 0;
  step.claim("B16", Evidence::kTensor, seeds * 4 * 28)
      .seeds(static_cast<int>(seeds))
      .as_stated(exact)
      .right(exact && most.influence == 0 && most.renormalised < 1e-6 && least_move > 0.05)
      .value(most.hidden)
      .expected("hidden weight, q k v, influence: 0; layer 1 k moves > 0.05")
      .tolerance("exact; rescaled weights 1e-6: float32, sums of 8")
      .found(fmt::format("hidden weight {:.2g}, q k v moved {:.2g}, layer 1 k {:.2f}", most.hidden,
                         most.projections, least_move));
  step.why(
      "The mask sits behind q, k, v: in its layer they cannot feel it, and the past shares what "
      "the future had. The next layer reads other answers.");
  step.try_next({"./gradwalk run 9 --claim=B16 --break=finite-mask", "./gradwalk run 9 --step"});
}

}  // namespace gradwalk::lesson_09
