#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps/common.h"
#include "lessons/19_number_axis/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"

namespace gradwalk::lesson_19 {
namespace {

using course::Evidence;
using course::Step;

double distance(const ModelMeasures& seen) { return seen.alignment.match.of_cosines.cohens_d; }

double gap(const ModelMeasures& seen) { return seen.alignment.gap(); }

double spread(const ModelMeasures& seen) { return seen.alignment.spread; }

double value_order(const ModelMeasures& seen) { return seen.number_values.order; }

}  // namespace

void how_fine(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  const tasks::NumberTask last = step.broken("no-sum") ? largest_number() : sum_of_two();
  const auto models = trained_models(
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
  auto& curves =
      step.picture(course::Curves("model 0: z less its mean, which softmax does not see", "worth"));
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> z = models[i][0]->scores;
    const double middle = nn::summarize(z).mean;
    for (double& one : z) one -= middle;
    curves.series(kNames[i], z);
  }
  tasks::draw_keys(step, "sum of two: keys of model 0", sum[0]->head.keys, last);
  tasks::draw_keys(step, "sum of two: values of model 0", sum[0]->head.values, last);
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

}  // namespace gradwalk::lesson_19
