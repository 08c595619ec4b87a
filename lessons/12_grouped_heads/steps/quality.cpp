#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/12_grouped_heads/loss_pairs.h"
#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"
#include "tensor/create.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Evidence;
using course::Explain;
using course::Explanation;
using course::Index;
using course::Operands;
using course::Step;
using course::Truth;

constexpr std::int64_t kShared = 2;

constexpr double kSeveral = 5;  // per cent: what "a few" stays below

Explain gap_of_pair() {
  return Explain::custom([](const Index& at, const Operands& of) {
    const double own = of("loss_MHA", at), shared = of("loss_GQA", at);
    Explanation gap;
    gap.formula = "100 (loss_GQA / loss_MHA - 1)";
    gap.value = 100 * (shared / own - 1);
    gap.lines = {fmt::format("100 ({:.6g} / {:.6g} - 1)", shared, own)};
    gap.magnitude = 100;
    return gap;
  });
}

}  // namespace

void quality(Step& step) {
  const std::int64_t at_first = step.whole("pairs"), updates = step.whole("updates");
  const std::int64_t kv_heads = step.broken("all-own") ? kPairHeads : kShared;
  LossPairs gqa = loss_pairs(step, kv_heads, at_first, updates);
  if (is_above_zero(gqa.gaps) == Truth::kUnclear) {
    gqa = loss_pairs(step, kv_heads, 2 * at_first, updates);
  }
  const auto pairs = static_cast<std::int64_t>(gqa.gaps.size());
  const nn::Summary all = nn::summarize(gqa.gaps);
  const double t = nn::one_sample_t_test(gqa.gaps).t;
  const double low = all.mean - 2 * all.standard_error, high = all.mean + 2 * all.standard_error;
  const auto for_mha =
      std::count_if(gqa.gaps.begin(), gqa.gaps.end(), [](double gap) { return gap > 0; });
  step.formula("a pair: an MHA and a GQA model, 8 query heads, 8 and 2 kv heads");
  step.formula("both from one seed: the same text in the same order, the same first");
  step.formula("numbers wherever shapes are the same; then 20000 words of test text");
  step.formula("gap = 100 (loss of GQA / loss of MHA - 1) %; MHA is better above 0");
  step.formula("SE = s / sqrt(pairs), s: standard deviation of the gaps");
  step.formula("t = mean / SE: above 2 once in 30 if there is no difference");
  step.formula(fmt::format("{} pairs; if t is not above 2, {} more, once: by chance 1 in 20 then",
                           at_first, at_first));
  step.predict(fmt::format("In how many of {} pairs has MHA the lower loss?", pairs),
               {"in all", "in most, not in all", "in about half: no difference"},
               for_mha == pairs           ? 0
               : 10 * for_mha > 6 * pairs ? 1
                                          : 2);
  auto table = step.table("gap, %", {"pairs", "mean", "s", "-2 SE", "+2 SE", "t"});
  const auto row = [&](std::int64_t kv, std::int64_t after, const std::vector<double>& gaps,
                       std::string note) {
    const nn::Summary of = nn::summarize(gaps);
    table.digits({0, 2, 2, 2, 2, 2})
        .row(fmt::format("{}, {} updates", variant_name(kPairHeads, kv), after),
             {static_cast<double>(of.count), of.mean, of.standard_deviation,
              of.mean - 2 * of.standard_error, of.mean + 2 * of.standard_error,
              nn::one_sample_t_test(gaps).t},
             std::move(note));
  };
  row(kShared, updates, gqa.gaps, "what the claim goes by");
  if (!step.quick()) {
    const std::int64_t fewer = std::max<std::int64_t>(2, at_first / 2);
    row(kShared, 2 * updates, loss_pairs(step, kv_heads, fewer, 2 * updates).gaps,
        "the same models, trained on");
    row(1, updates, loss_pairs(step, 1, fewer, updates).gaps, "one kv head");
  }
  const auto mean = [](const std::vector<double>& x) { return nn::summarize(x).mean; };
  step.table("mean loss, nats a word", {"MHA", "GQA"})
      .digits(4)
      .row(fmt::format("{} updates", updates), {mean(gqa.own), mean(gqa.shared)});
  step.number("pairs with the lower loss for MHA", static_cast<double>(for_mha),
              fmt::format("of {}", pairs));
  const double wanted = std::pow(4 * all.standard_deviation / all.mean, 2);
  if (all.mean > 0) {
    step.number("pairs that make t = 4 likely", std::ceil(wanted), "(4 s / mean)^2", 0);
  }
  step.tensor("loss_MHA", from_vector(gqa.own, {pairs}, DType::kFloat64))
      .axes("pair")
      .explain(Explain::given("trained, then read 20000 words of test text"));
  step.tensor("loss_GQA", from_vector(gqa.shared, {pairs}, DType::kFloat64))
      .axes("pair")
      .explain(Explain::given("trained on the same windows, then the same test text"));
  step.tensor("gap", from_vector(gqa.gaps, {pairs}, DType::kFloat64))
      .axes("pair")
      .explain(gap_of_pair());
  std::vector<double> sorted = gqa.gaps, count, two;
  std::sort(sorted.begin(), sorted.end());
  step.picture(course::Curves("the gap of each pair in %, the smallest first", "pair"))
      .series("gap", sorted);
  const std::size_t few = std::min<std::size_t>(5, gqa.gaps.size());
  const std::vector<double> so_far = running_t(gqa.gaps, few);
  for (std::size_t i = 0; i < so_far.size(); ++i) {
    count.push_back(static_cast<double>(i + few));
    two.push_back(2);
  }
  step.picture(course::Curves("t of the first pairs: few of them tell little", "pairs so far"))
      .series("t", count, so_far)
      .series("2", count, two);
  const Truth better = is_above_zero(gqa.gaps);
  step.claim("B39", Evidence::kTensor, /*cases=*/pairs)
      .seeds(static_cast<int>(pairs))
      .as_stated(better)
      .right(better == Truth::kYes ? course::truth(high < kSeveral) : better)
      .value(all.mean)
      .interval(low, high)
      .expected("gap > 0 % with t > 2; mean + 2 SE < 5 %")
      .tolerance(fmt::format("2 SE, {} pairs, as many more if they do not tell", at_first))
      .found(
          better == Truth::kUnclear
              ? fmt::format("gap {:.2f} %, t {:.1f}: not resolved by {} pairs", all.mean, t, pairs)
              : fmt::format("gap {:.2f} +-{:.2f} %, t {:.1f}", all.mean, 2 * all.standard_error,
                            t));
  step.why(
      "Models that share learn a little later. The gap is no larger than what chance does to one "
      "pair, so one comparison shows little: it takes many.");
  step.try_next(
      {"./gradwalk run 12 --claim=B39 --break=all-own", "./gradwalk help \"paired seeds\""});
}

}  // namespace gradwalk::lesson_12
