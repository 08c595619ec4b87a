#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps/common.h"
#include "lessons/19_number_axis/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/statistics/summary.h"

namespace gradwalk::lesson_19 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void seen_or_sorted(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  std::vector<tasks::NumberTask> tasks = {any_number(), upper_half(), largest_number(),
                                          sum_of_two()};
  if (step.broken("all-largest")) std::fill(tasks.begin(), tasks.end(), largest_number());
  const auto models = trained_models(step, tasks, seeds, updates);
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
  auto& bars = step.picture(course::Bars("rho: are scores in the order of size?", {"rho"}));
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

}  // namespace gradwalk::lesson_19
