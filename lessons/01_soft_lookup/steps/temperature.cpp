#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/01_soft_lookup/steps/common.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void temperature(Step& step) {
  const bool ignored = step.broken("no-temperature");
  const std::vector<double> taus = {10, 1, 0.3, 0.1, 0.03, 0.01};
  const std::int64_t keys = step.whole("keys");
  const std::int64_t d_k = step.whole("d_k");
  const std::int64_t queries = step.whole("queries");
  const std::int64_t seeds = step.whole("seeds");
  std::vector<Dictionary> dictionaries;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    dictionaries.emplace_back(keys, d_k, queries,
                              step.generator(fmt::format("dictionary {}", seed)));
  }
  const Cooling cooling =
      cool(dictionaries, ignored ? std::vector<double>(taus.size(), 1.0) : taus);
  step.formula(
      fmt::format("w_j = softmax(q.k_j / sqrt({1}) / tau)      K, V [{0},{1}], {2} queries", keys,
                  d_k, queries));
  step.formula(
      "entropy = -sum_j w_j ln w_j, in nats: ln n for n equal weights, 0 for a single one");
  step.formula("1 - w_best <= (n - 1) exp(-gap / tau)      gap: best score minus second best");
  auto table = step.table(fmt::format("means over the queries of {} seeds", seeds),
                          {"off the mean", "off the best", "best weight", "entropy"});
  std::vector<double> x, from_mean, error;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    const LookUp& mean = cooling.means[i];
    table.digits(3).row(
        fmt::format("tau {}", taus[i]), {mean.from_mean, mean.error, mean.max_weight, mean.entropy},
        i == 0 ? fmt::format("ln {} = {:.3f}: all alike", keys, std::log(double(keys))) : "");
    x.insert(x.begin(), std::log10(taus[i]));
    from_mean.insert(from_mean.begin(), mean.from_mean);
    error.insert(error.begin(), mean.error);
  }
  step
      .picture(course::Curves(
          "distance of the answer to the mean of V and to the value of the best key", "log10 tau"))
      .series("off the mean", x, from_mean)
      .series("off the best", x, error);
  const double unit_off = unit_keys_off(/*keys=*/16);
  step.number("queries beyond the bound", cooling.violations,
              fmt::format("of {}: 6 temperatures", 6 * queries * seeds));
  step.number("orthogonal keys: off formula", unit_off,
              "e^b / (e^b + 15) for the query b e_1, b = 1 ... 32");
  const bool look_up = cooling.falls && cooling.from_mean < 0.1;
  step.claim("B1", Evidence::kTensor, /*cases=*/6 * queries * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(look_up)
      .right(look_up && cooling.violations == 0 && unit_off < 16 * kEpsilon)
      .value(cooling.means.back().error)
      .expected("both fall with tau; tau 10: < 0.1 off the mean")
      .tolerance("orders: exact, in every seed; 16 roundings of 1: 3.6e-15")
      .found(fmt::format("off the best {:.3f} to {:.3f}, {} beyond the bound",
                         cooling.means[0].error, cooling.means.back().error, cooling.violations));
  step.why(
      "Dividing scores by a small tau widens every gap: the best key takes all, at the pace "
      "of its own lead over the second.");
  step.try_next({"./gradwalk run 1 --claim=B1 --set=keys=256",
                 "./gradwalk run 1 --claim=B1 --break=no-temperature"});
}

}  // namespace gradwalk::lesson_01
