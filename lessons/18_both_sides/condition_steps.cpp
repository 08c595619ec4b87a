#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lessons/18_both_sides/conditions.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/old_and_new.h"
#include "lessons/18_both_sides/steps.h"
#include "lessons/course/key_scatter.h"
#include "lessons/course/measure.h"

namespace gradwalk::lessons {
namespace {

using course::Step;

using Models = std::vector<const OldAndNew*>;

double right(const OldAndNew& m) { return m.right; }
double on_answer(const OldAndNew& m) { return m.on_answer; }
double on_numbers(const OldAndNew& m) { return m.on_numbers; }
/// Largest |dL/dW_Q| while training.
double steepest(const OldAndNew& m) {
  return *std::max_element(m.curves->gradient.begin(), m.curves->gradient.end());
}

/// Mean over the models of how their number keys stand out.
Standing mean_standing(const std::vector<Standing>& all) {
  Standing mean{0, 0, 0};
  for (const Standing& one : all) {
    mean.from_mean += one.from_mean / static_cast<double>(all.size());
    mean.nearest += one.nearest / static_cast<double>(all.size());
    mean.length += one.length / static_cast<double>(all.size());
  }
  return mean;
}

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
  auto curves = step.curves("gap while training, model 0", "update");
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

void without_own_keys(Step& step) {
  const std::int64_t models = step.whole("seeds");
  step.formula("one key for all: k of every number is W_K times the mean number e");
  step.formula("values stay their own: v_t = W_V e_t, so they still say which one");
  step.formula("d: gap / spread within a group      rho: order of the scores; 0: none");
  step.formula("w answer: weight of the largest; shared by 2 to 4 alike ones: 0.36");
  step.formula("unique: the article has it that larger numbers have more unique keys");
  const Models whole = models_without(step, Without::kNothing);
  const Models one_key = models_without(step, Without::kOwnKeys);
  const course::Spread gaps = course::spread_of(each(one_key, gap));
  const course::Spread rhos = course::spread_of(each(one_key, rho));
  step.predict("Numbers can not be told apart by their key. The gap to nouns becomes",
               {"nothing: nothing to turn to", "smaller", "larger"},
               gaps.mean > mean_of(whole, gap) ? 2
               : gaps.mean > 0.3               ? 1
                                               : 0);
  auto table = step.table(fmt::format("means of {} models", models),
                          {"gap", "d", "rho", "w answer", "w numbers", "right"});
  const auto row = [&](Without what, const Models& of, const char* note) {
    table.digits({2, 1, 2, 2, 2, 3})
        .row(name(what),
             {mean_of(of, gap), mean_of(of, effect), mean_of(of, rho), mean_of(of, on_answer),
              mean_of(of, on_numbers), mean_of(of, right)},
             note);
  };
  row(Without::kNothing, whole, "");
  row(Without::kOwnKeys, one_key, "");
  const course::NumberTraining training =
      training_without(Without::kNothing, step.whole("updates"));
  std::vector<Standing> before, after;
  for (const OldAndNew* model : whole) {
    before.push_back(model->standing_before);
    after.push_back(model->standing);
  }
  auto unique = step.table("rho of worth and a key's", {"as it begins", "trained"});
  const Standing old = mean_standing(before), now = mean_standing(after);
  unique.digits(2).row("distance from the mean", {old.from_mean, now.from_mean});
  unique.row("distance from the nearest", {old.nearest, now.nearest});
  unique.row("length", {old.length, now.length}, "three meanings of unique; means");
  course::draw_keys(step, "keys of their own, model 0", old_and_new_head(step, training)[1].keys,
                    training.task);
  const course::NumberTraining merged =
      training_without(broken_or(step, Without::kOwnKeys), step.whole("updates"));
  course::draw_keys(step, "one key for all, model 0", old_and_new_head(step, merged)[1].keys,
                    merged.task);
  step.check("one key for all: gap > 1 in every model", gaps.lowest > 1,
             fmt::format("lowest {:.2f}", gaps.lowest));
  step.check("and no order in any", rhos.lowest == 0 && rhos.highest == 0,
             fmt::format("rho {:.2f} to {:.2f}", rhos.lowest, rhos.highest));
  step.why(
      "To fit the numbers as a group they need not differ: one key is one place to point at. "
      "They must differ for q to rank them, and values can do without.");
  step.try_next(
      {"./gradwalk run 18 --from=6 --break=own-keys", "./gradwalk run 18 --from=6 --predict"});
}

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
  auto curves = step.curves("gap while training, model 0", "update");
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
  const course::NumberTraining linear =
      training_without(Without::kPositiveness, step.whole("updates"));
  course::draw_keys(step, "linear, keys of model 0", old_and_new_head(step, linear)[1].keys,
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

}  // namespace gradwalk::lessons
