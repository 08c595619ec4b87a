#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "lessons/18_both_sides/conditions.h"
#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Step;

// Mean over the models of how their number keys stand out.
KeySalience mean_standing(const std::vector<KeySalience>& all) {
  KeySalience mean{0, 0, 0};
  for (const KeySalience& one : all) {
    mean.from_mean += one.from_mean / static_cast<double>(all.size());
    mean.nearest += one.nearest / static_cast<double>(all.size());
    mean.length += one.length / static_cast<double>(all.size());
  }
  return mean;
}

}  // namespace

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
  const tasks::NumberTraining training = training_without(Without::kNothing, step.whole("updates"));
  std::vector<KeySalience> before, after;
  for (const ModelChange* model : whole) {
    before.push_back(model->salience_before);
    after.push_back(model->salience);
  }
  auto unique = step.table("rho of worth and a key's", {"as it begins", "trained"});
  const KeySalience old = mean_standing(before), now = mean_standing(after);
  unique.digits(2).row("distance from the mean", {old.from_mean, now.from_mean});
  unique.row("distance from the nearest", {old.nearest, now.nearest});
  unique.row("length", {old.length, now.length}, "three meanings of unique; means");
  tasks::draw_keys(step, "keys of their own, model 0",
                   head_before_and_after(step, training)[1].keys, training.task);
  const tasks::NumberTraining merged =
      training_without(broken_or(step, Without::kOwnKeys), step.whole("updates"));
  tasks::draw_keys(step, "one key for all, model 0", head_before_and_after(step, merged)[1].keys,
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

}  // namespace gradwalk::lesson_18
