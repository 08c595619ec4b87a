#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "lessons/18_both_sides/conditions.h"
#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Step;

}  // namespace

void without_need(Step& step) {
  const std::int64_t models = step.whole("seeds");
  step.formula("gap = mean cos(q, k) of the numbers - mean cos(q, k) of the nouns");
  step.formula("answers drawn: the same texts, but answers have nothing to do with them");
  step.formula("asked for nouns: the last noun is the answer, numbers do not matter");
  const Models whole = models_without(step, Without::kNothing);
  const Models drawn = models_without(step, Without::kQuestion);
  const Models nouns = models_without(step, Without::kNumbers);
  const double drawn_gap = mean_of(drawn, gap), bound = no_gap_below(models);
  const course::Spread noun_gap = course::spread_of(each(nouns, gap));
  step.predict("Nouns are asked for instead. Where do the keys of numbers go?",
               {"they stay as they were: no gap", "towards q a little", "away from q"},
               noun_gap.mean < -0.5   ? 2
               : noun_gap.mean < 0.25 ? 0
                                      : 1);
  auto table = step.table(fmt::format("gap, {} models", models),
                          {"lowest", "mean", "highest", "w numbers", "right"});
  auto& curves = step.picture(course::Curves("gap while training, model 0", "update"));
  const auto row = [&](Without what, const Models& of, const char* note) {
    const course::Spread gaps = course::spread_of(each(of, gap));
    table.digits(2).row(
        name(what),
        {gaps.lowest, gaps.mean, gaps.highest, mean_of(of, on_numbers), mean_of(of, right)}, note);
    curves.series(name(what), of[0]->curves->gap);
  };
  row(Without::kNothing, whole, "w of all numbers, even: 0.33; guessing: 0.07 right");
  row(Without::kQuestion, drawn, "");
  row(Without::kNumbers, nouns, "");
  step.check("answers drawn: no gap", std::abs(drawn_gap) < bound,
             fmt::format("|{:.2f}| < {:.2f}, mean", drawn_gap, bound));
  step.check("asked for nouns: gap < -0.5 in every model", noun_gap.highest < -0.5,
             fmt::format("highest {:.2f}", noun_gap.highest));
  step.why(
      "This condition holds up: the gap is made by what the loss asks for. Where it asks for "
      "nothing there is none, where it asks for nouns it is theirs.");
  step.try_next(
      {"./gradwalk run 18 --from=5 --break=numbers-asked", "./gradwalk run 18 --from=5 --predict"});
}

}  // namespace gradwalk::lesson_18
