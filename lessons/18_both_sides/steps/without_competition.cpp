#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/18_both_sides/conditions.h"
#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Step;

// Largest |dL/dW_Q| while training.
double steepest(const ModelChange& m) {
  return *std::max_element(m.curves->gradient.begin(), m.curves->gradient.end());
}

}  // namespace

void without_competition(Step& step) {
  const std::int64_t models = step.whole("seeds");
  step.formula("softmax: w_t = exp(z_t) / sum_s exp(z_s); one gains, others lose");
  step.formula("sigmoid: w_t = 1 / (1 + exp(-z_t)) / 9; each by itself, and > 0");
  step.formula("linear:  w_t = z_t / 9; each by itself, of either sign");
  step.formula("even:    w_t = 1 / 9; z does not count, so dL/dW_Q is 0");
  const std::vector<Without> kinds = {Without::kNothing, Without::kCompetition,
                                      Without::kPositiveness, Without::kScores};
  const std::vector<std::string> names = {"softmax", "sigmoid", "linear", "even"};
  std::vector<Models> found;
  for (const Without kind : kinds) found.push_back(models_without(step, kind));
  const course::Spread sigmoid = course::spread_of(each(found[1], gap));
  step.predict("Sigmoid weights: no token loses when another gains. The gap is then",
               {"gone: nothing competes", "half of softmax's", "as large or larger"},
               sigmoid.mean > 0.9 * mean_of(found[0], gap)   ? 2
               : sigmoid.mean > 0.2 * mean_of(found[0], gap) ? 1
                                                             : 0);
  auto table = step.table(fmt::format("gap, {} models", models),
                          {"lowest", "mean", "highest", "rho", "right"});
  auto lines = step.table("on q's line: mean |cos|", {"numbers", "nouns", "|dL/dW_Q|"});
  auto& curves = step.picture(course::Curves("gap while training, model 0", "update"));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const course::Spread gaps = course::spread_of(each(found[i], gap));
    table.digits({2, 2, 2, 2, 3})
        .row(names[i], {gaps.lowest, gaps.mean, gaps.highest, mean_of(found[i], rho),
                        mean_of(found[i], right)});
    lines.digits({2, 2, 3}).row(names[i],
                                {mean_of(found[i], numbers_on_line),
                                 mean_of(found[i], nouns_on_line), mean_of(found[i], steepest)},
                                i == 0 ? "last: the largest while training" : "");
    curves.series(names[i], found[i][0]->curves->gap);
  }
  const tasks::NumberTraining linear =
      training_without(Without::kPositiveness, step.whole("updates"));
  tasks::draw_keys(step, "linear, keys of model 0", head_before_and_after(step, linear)[1].keys,
                   linear.task);
  const double bound = no_gap_below(models);
  step.check("sigmoid: gap > 1 in every model", sigmoid.lowest > 1,
             fmt::format("lowest {:.2f}", sigmoid.lowest));
  for (const std::size_t i : {2U, 3U}) {
    const double mean = mean_of(found[i], gap);
    step.check(fmt::format("{}: no gap", names[i]), std::abs(mean) < bound,
               fmt::format("|{:.2f}| < {:.2f}, mean", mean, bound));
  }
  step.check("even: dL/dW_Q is 0 all the time", mean_of(found[3], steepest) == 0);
  step.check("linear: numbers on q's line, mean |cos| > 0.8",
             mean_of(found[2], numbers_on_line) > 0.8,
             fmt::format("{:.2f}", mean_of(found[2], numbers_on_line)));
  step.why(
      "q needs weights that its scores move. Where they are positive numbers come to q, competing "
      "or not; where either sign will do, to both ends of its line.");
  step.try_next(
      {"./gradwalk run 18 --from=7 --break=even-instead", "./gradwalk run 18 --from=7 --predict"});
}

}  // namespace gradwalk::lesson_18
