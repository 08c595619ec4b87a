#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps.h"
#include "lessons/course/key_scatter.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/statistics.h"
#include "tensor/layout.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

double rho(const Seen& seen) { return seen.alignment.rho; }
double distance(const Seen& seen) { return seen.alignment.match.of_cosines.cohens_d; }
double gap(const Seen& seen) { return seen.alignment.gap(); }
double spread(const Seen& seen) { return seen.alignment.spread; }
double value_order(const Seen& seen) { return seen.number_values.order; }
double key_order(const Seen& seen) { return seen.number_keys.order; }
double accuracy(const Seen& seen) { return seen.accuracy; }

const std::vector<std::string> kNames = {"any number?", "one of 8 ... 15?", "largest", "sum of two",
                                         "largest of two"};

}  // namespace

void seen_or_sorted(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  std::vector<course::NumberTask> tasks = {any_number(), upper_half(), largest_number(),
                                           sum_of_two()};
  if (step.broken("all-largest")) std::fill(tasks.begin(), tasks.end(), largest_number());
  const auto models = learned(step, tasks, seeds, updates);
  step.formula("any number?        yes or no: numbers are seen, not told apart");
  step.formula("one of 8 ... 15?   yes or no: told apart roughly, not repeated");
  step.formula("largest            one of 16: told apart, and one of them repeated");
  step.formula("sum of two         0 ... 14, of 0 ... 7: told apart, not repeated");
  step.formula("rho: Spearman of the scores z and what the numbers are worth");
  const auto mean_rho = [&](std::size_t i) { return mean_of(models[i], rho); };
  step.predict("To add two numbers [CLS] must know each exactly. How ordered are their scores?",
               {"as for the largest", "half", "not at all"},
               std::abs(mean_rho(3)) > 0.8   ? 0
               : std::abs(mean_rho(3)) > 0.4 ? 1
                                             : 2);
  auto table =
      step.table(fmt::format("{} models each", seeds), {"rho", "lowest", "highest", "right"});
  auto bars = step.bars("rho: are scores in the order of size?", {"rho"});
  const std::vector<std::string> notes = {"right: share of texts", "", "", ""};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const course::Spread of_models = course::spread_of(each(models[i], rho));
    table.digits(2).row(
        kNames[i],
        {of_models.mean, of_models.lowest, of_models.highest, mean_of(models[i], accuracy)},
        notes[i]);
    bars.digits(2).group(kNames[i], {of_models.mean});
  }
  const course::Spread only_seen = course::spread_of(each(models[0], rho));
  step.claim("A12", Evidence::kTensor, /*cases=*/seeds * std::ssize(tasks))
      .seeds(static_cast<int>(seeds))
      .as_stated(std::min({mean_rho(0), mean_rho(1), mean_rho(3)}) > 0.5)
      .right(mean_rho(2) > mean_rho(1) + 0.1 && mean_rho(1) + 0.1 > mean_rho(0) + 0.3)
      .value(only_seen.mean)
      .interval(only_seen.lowest, only_seen.highest)
      .expected("rho: largest > upper half + 0.1 > any + 0.3; stated: all three others > 0.5")
      .tolerance(fmt::format("bounds of the rule, on means; SE of any {:.2f}",
                             nn::summarize(each(models[0], rho)).standard_error))
      .found(fmt::format("rho {:.2f}, {:.2f}, {:.2f}; sum {:.2f}", mean_rho(0), mean_rho(1),
                         mean_rho(2), mean_rho(3)));
  step.why(
      "Order comes from choosing by size, the more the finer the choice. Not repeating a number "
      "does nothing for it, and knowing it exactly does not need it.");
  step.try_next({"./gradwalk run 19 --claim=A12 --break=all-largest",
                 "./gradwalk run 19 --claim=A12 --predict"});
}

void how_fine(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  const course::NumberTask last = step.broken("no-sum") ? largest_number() : sum_of_two();
  const auto models = learned(
      step, {any_number(), upper_half(), largest_number(), last, largest_of_two()}, seeds, updates);
  const auto &any = models[0], &largest = models[2], &sum = models[3];
  step.formula("gap: mean cos(q, k) of the numbers, less that of the nouns");
  step.formula("d: the gap in standard deviations of the cosines (Cohen's d)");
  step.formula("std z: how far apart the scores of the numbers lie, in nats");
  step.formula("values: |rho| of the worth and the place on component 1 of values");
  step.formula("out = sum_i w_i v_i: like v_1 + v_2 only if w_1 = w_2, so z_1 = z_2");
  const double ratio = mean_of(sum, spread) / mean_of(largest, spread);
  step.predict("An exact sum: how far apart are the numbers' scores, beside the largest's?",
               {"farther: a sum is finer", "as far", "a tenth or less"},
               ratio > 1.2   ? 0
               : ratio > 0.1 ? 1
                             : 2);
  const std::vector<std::string> notes = {"right: share of texts", "", "", "",
                                          "two of 0 ... 7, as for the sum"};
  auto table = step.table(fmt::format("mean of {} models each", seeds),
                          {"gap", "d", "rho", "std z", "values", "right"});
  for (std::size_t i = 0; i < models.size(); ++i) {
    table.digits({2, 1, 2, 2, 2, 2})
        .row(kNames[i],
             {mean_of(models[i], gap), mean_of(models[i], distance), mean_of(models[i], rho),
              mean_of(models[i], spread), mean_of(models[i], value_order),
              mean_of(models[i], accuracy)},
             notes[i]);
  }
  step.number("sum: keys' order", mean_of(sum, key_order),
              "|rho| of worth and place on component 1 of its keys, by chance 0.31; q hardly sees "
              "it: std z",
              2);
  auto curves = step.curves("model 0: z less its mean, which softmax does not see", "worth");
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> z = models[i][0]->scores;
    const double middle = nn::summarize(z).mean;
    for (double& one : z) one -= middle;
    curves.series(kNames[i], z);
  }
  course::draw_keys(step, "sum of two: keys of model 0", sum[0]->head.keys, last);
  course::draw_keys(step, "sum of two: values of model 0", sum[0]->head.values, last);
  step.claim("A16", Evidence::kTensor, /*cases=*/3 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(mean_of(any, distance) < mean_of(largest, distance) &&
                 mean_of(largest, distance) < mean_of(sum, distance) && ratio > 1)
      .right(mean_of(any, distance) > mean_of(largest, distance) && mean_of(largest, rho) > 0.95 &&
             ratio < 0.1 && mean_of(sum, value_order) > 0.8)
      .value(ratio)
      .expected("d: any > largest; rho largest > 0.95; std z: sum < 0.1 of largest; values > 0.8")
      .tolerance("bounds of the rule, on means of the models")
      .found(fmt::format("d {:.1f} and {:.1f}, rho {:.3f}, std z {:.3f}, values {:.2f}",
                         mean_of(any, distance), mean_of(largest, distance), mean_of(largest, rho),
                         ratio, mean_of(sum, value_order)));
  step.why(
      "A sum needs equal weights, so to q its numbers are one; the values tell them apart. Only "
      "choosing needs scores that differ.");
  step.try_next(
      {"./gradwalk run 19 --claim=A16 --break=no-sum", "./gradwalk run 19 --claim=A16 --predict"});
}

}  // namespace gradwalk::lessons
