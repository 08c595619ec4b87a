#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/records.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void largest_is_picked(Step& step) {
  const std::int64_t models = step.whole("seeds"), updates = step.whole("updates");
  const Kind kind = step.broken("noun-task") ? Kind::kNouns : Kind::kMax;
  const tasks::NumberTraining training = training_of(kind, updates);
  step.formula("z_t = q.k_t / sqrt(8)      w = softmax(z) over the text's tokens");
  step.formula("3 nats above another token: exp(3), 20 times its weight");
  step.formula("axis: of most variance of the numbers' keys, towards large ones");
  step.formula("-q in place of q: all z change sign, the last number comes first");
  const auto after = model_measures(step, training, models);
  const auto rho = [](const ModelMeasures& m) { return m.alignment.rho; };
  const auto on_answer = [](const ModelMeasures& m) { return m.on_answer; };
  const auto accuracy = [](const ModelMeasures& m) { return m.accuracy; };
  auto table =
      step.table(fmt::format("{} models after {} updates, 1000 fresh texts each", models, updates),
                 {"lowest", "mean", "highest"});
  const auto row = [&](const char* label, double (*of)(const ModelMeasures&), const char* note) {
    const course::Spread spread = course::spread_of(each(after, of));
    table.digits(3).row(label, {spread.lowest, spread.mean, spread.highest}, note);
    return spread;
  };
  row("rho", rho, "their order");
  row(
      "spread of z", [](const ModelMeasures& m) { return m.alignment.spread; }, "nats");
  row(
      "cos(q, axis)", [](const ModelMeasures& m) { return m.along_axis; }, "");
  row("w of the answer", on_answer, "even: 0.111");
  row(
      "w of all numbers", [](const ModelMeasures& m) { return m.on_numbers; }, "even: 0.333");
  row("right", accuracy, "guessing: 0.067");
  row(
      "q: largest first", [](const ModelMeasures& m) { return m.largest_first; },
      "misses: 0 above 1");
  const course::Spread turned = row(
      "-q: smallest first", [](const ModelMeasures& m) { return m.smallest_if_turned; }, "");
  const auto worths = [](const ModelMeasures& m) {
    return tasks::number_rows(m.alignment.match.logits, {}).to_vector();
  };
  step.predict("q is replaced by -q. Which number of a text now gets most weight?",
               {"still the largest", "the smallest", "any of them"},
               turned.mean > 0.8   ? 1
               : turned.mean < 0.2 ? 0
                                   : 2);
  step.picture(
          course::Curves("score z of each number, model 0, in nats", "what the number is worth"))
      .series("before", worths(*model_measures(step, training_of(kind, 0), 1)[0]))
      .series("after", worths(*after[0]));
  record_text(step, *model_of(step, training).model, training.task);
  const auto picks = std::count_if(after.begin(), after.end(), [&](const ModelMeasures* m) {
    return rho(*m) > 0.95 && on_answer(*m) > 0.8 && accuracy(*m) > 0.98;
  });
  const bool stated = static_cast<double>(picks) >= 0.9 * static_cast<double>(models);
  const course::Spread weight = course::spread_of(each(after, on_answer));
  step.claim("A15", Evidence::kTensor, models * 1000)
      .seeds(static_cast<int>(models))
      .as_stated(stated)
      .right(stated && turned.mean > 0.8)
      .value(weight.mean)
      .interval(weight.lowest, weight.highest)
      .expected("rho > 0.95, w of the answer > 0.8, right > 0.98; with -q the smallest first")
      .tolerance("bounds of the rule, in 9 of 10 models; -q: 0.8 of the texts")
      .found(fmt::format("{} of {} models: w {:.3f}, rho {:.3f}, right {:.3f}; -q {:.2f}", picks,
                         models, weight.mean, course::spread_of(each(after, rho)).mean,
                         course::spread_of(each(after, accuracy)).mean, turned.mean));
  step.why(
      "Numbers lie along one axis in the order of their worth, and q points to its upper end: the "
      "highest score is the largest number's, whichever they are.");
  step.try_next({"./gradwalk run 17 --claim=A15 --break=noun-task",
                 "./gradwalk run 17 --claim=A15 --predict"});
}

}  // namespace gradwalk::lesson_17
