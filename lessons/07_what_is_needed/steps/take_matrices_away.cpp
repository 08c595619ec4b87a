#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/variable.h"
#include "lessons/07_what_is_needed/matching.h"
#include "lessons/07_what_is_needed/steps/steps.h"
#include "lessons/07_what_is_needed/tables.h"
#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/dictionary.h"
#include "nn/attention.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_07 {
namespace {

using course::Evidence;
using course::Step;

// The largest over models of how far the model without W_K and W_V is from the one with all.
struct Merge {
  double weights = 0;
  double logits = 0;  // as a share of the largest
  double beyond = -std::numeric_limits<double>::infinity();
  double accuracy = 1;
};

Merge merge_of(Step& step, const VariantOptions& options, std::int64_t seeds, bool multiply) {
  const NoGrad no_grad;
  Merge worst;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const tasks::DictionaryModel& full = trained_variant(step, options, seed, seeds).model;
    const auto merged = without_key_and_value(full, multiply);
    Generator pages = step.generator(fmt::format("merge pages {}", seed));
    const tasks::DictionaryBatch batch = tasks::draw_dictionary(256, full.options().sizes, pages);
    nn::AttentionTrace of_full, of_merged;
    const Tensor logits = full(batch, &of_full).value();
    worst.logits = std::max(
        worst.logits, course::relative_distance((*merged)(batch, &of_merged).value(), logits));
    worst.weights = std::max(worst.weights,
                             course::distance(of_merged.weights.value(), of_full.weights.value()));
    worst.beyond = std::max(worst.beyond, beyond_values(full, batch));
    worst.accuracy = std::min(worst.accuracy, tasks::dictionary_accuracy(*merged, 1024, pages));
  }
  return worst;
}

}  // namespace

void take_matrices_away(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto options = [&](const Matrices& matrices) {
    return VariantOptions{.matrices = matrices, .tables = false, .updates = step.whole("updates")};
  };
  step.formula("x stays as it was drawn; one head as wide as x; W_O and the readout learn always");
  step.formula("K = x: k_j = x_j, without W_K      V = x: v_j = x_j, without W_V");
  step.formula("q_i.k_j = (W_Q x_i).(W_K x_j) = (W_K^T W_Q x_i).x_j      W_O W_V x = (W_O W_V) x");
  VariantTable table(step);
  auto& curves =
      step.picture(course::Curves("model 0: loss in nats, mean of 20 updates", "updates"));
  std::vector<double> lowest;
  for (const Matrices& matrices : {kAll, kNoQuery, kNoKey, kNoValue, kQueryOnly}) {
    const VariantSpread found = variant_over_seeds(step, options(matrices), seeds);
    table.row(name_of(matrices), found, matrices == kQueryOnly ? "W_Q and W_O are left" : "");
    if (matrices != kNoQuery) curves.series(name_of(matrices), found.losses);
    if (matrices != kAll) lowest.push_back(found.accuracy.lowest);
  }
  const Merge merge = merge_of(step, options(kAll), seeds, !step.broken("left-out"));
  step.number("merged: weights differ by", merge.weights,
              "trained with all three, then W_Q' = W_K^T W_Q, W_O' = W_O W_V, no W_K, no W_V");
  step.number("merged: logits differ by", merge.logits, "share of the largest logit");
  step.number("merged: right", merge.accuracy, "lowest share; without one more update", 3);
  step.number("beyond the values", merge.beyond,
              "o = sum_j w_j v_j leaves the range of the v_j by at most that share");
  std::vector<VariantLosses> rows = {language_row(step, kAll)};
  if (!step.quick()) {
    for (const Matrices& matrices : {kNoKey, kNoValue, kQueryOnly}) {
      rows.push_back(language_row(step, matrices));
    }
  }
  rows.push_back(even_row(step));
  language_table(step, rows);
  const double least = *std::min_element(lowest.begin(), lowest.end());
  step.predict("W_K and W_V are gone, only W_Q and W_O are left. Does the look-up still work?",
               {"no", "yes, as well as before"}, least > 0.98 ? 1 : 0);
  const bool sum_holds = merge.beyond < 1e-6;
  const bool merges = merge.weights < 1e-4 && merge.logits < 1e-4;
  step.claim("B31", Evidence::kTensor, /*cases=*/(5 * 1024 + 256) * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(sum_holds && least <= 0.98)
      .right(sum_holds && least > 0.98 && merges)
      .value(least)
      .expected("Q, K, V = x one by one, K = V = x: right > 0.98; merged: equal")
      .tolerance("0.98 is the claim's, in every model; merged 1e-4, sums of 32 in float32")
      .found(fmt::format("at least {:.3f} right; merged off by {:.1g}", least,
                         std::max(merge.weights, merge.logits)));
  step.why(
      "W_Q and W_K act only as a product, and so do W_V and W_O: one of each pair is enough if "
      "heads are wide. The second helps to learn, and makes heads narrow.");
  step.try_next(
      {"./gradwalk run 7 --claim=B31 --break=left-out", "./gradwalk run 7 --claim=B31 --predict"});
}

}  // namespace gradwalk::lesson_07
