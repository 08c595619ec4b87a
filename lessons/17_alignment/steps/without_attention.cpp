#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/training.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void without_attention(Step& step) {
  using enum tasks::Weighting;
  const std::int64_t models = step.whole("seeds"), few = step.whole("few");
  const std::int64_t updates = step.whole("updates");
  const bool even = step.broken("even-weights");
  step.formula("softmax: w_t = exp(z_t) / sum exp(z_s)      o = sum_t w_t v_t");
  step.formula("even: w_t = 1/9 whatever z, o = mean of all v_t: no search");
  step.formula("replaced: trained with softmax, then its weights are made even");
  step.formula("32 numbers: 8 to 12 of them in 20 tokens; v has 4 components, not 8");
  const auto accuracy = [](const ModelMeasures& m) { return m.accuracy; };
  const auto on_answer = [](const ModelMeasures& m) { return m.on_answer; };
  const auto without = [](const ModelMeasures& m) { return m.without_weights; };
  const auto soft =
      model_measures(step, training_of(even ? Kind::kUniform : Kind::kMax, updates), models);
  const auto flat = model_measures(step, training_of(Kind::kUniform, updates), models);
  const auto soft_many =
      model_measures(step, many_numbers(even ? kUniform : kSoftmax, updates), few);
  // More updates, so that what they cannot do is not what they had no time for.
  const std::int64_t longer = step.quick() ? updates : 2 * updates;
  const auto flat_many = model_measures(step, many_numbers(kUniform, longer), few);
  const course::Spread soft_right = course::spread_of(each(soft, accuracy));
  const course::Spread flat_right = course::spread_of(each(flat, accuracy));
  const course::Spread many_right = course::spread_of(each(soft_many, accuracy));
  const course::Spread flat_many_right = course::spread_of(each(flat_many, accuracy));
  const course::Spread weight = course::spread_of(each(soft, on_answer));
  const course::Spread replaced = course::spread_of(each(soft, without));
  step.predict("Trained with even weights: can it still name the largest of 16 numbers?",
               {"no, it guesses", "about half the time", "nearly always"},
               flat_right.mean > 0.9   ? 2
               : flat_right.mean > 0.3 ? 1
                                       : 0);
  auto table =
      step.table(fmt::format("share of answers that are right, {} and {} models", models, few),
                 {"lowest", "mean", "highest"});
  const auto row = [&](const char* label, const course::Spread& spread, const std::string& note) {
    table.digits(3).row(label, {spread.lowest, spread.mean, spread.highest}, note);
  };
  row("16, softmax", soft_right, fmt::format("w of the answer {:.3f}", weight.mean));
  row("16, even", flat_right, "w of the answer 0.111");
  row("16, replaced", replaced, "guessing: 0.067");
  row("32, softmax", many_right,
      fmt::format("w of the answer {:.3f}", course::spread_of(each(soft_many, on_answer)).mean));
  row("32, even", flat_many_right, fmt::format("after {} updates", longer));
  row("32, replaced", course::spread_of(each(soft_many, without)), "guessing: 0.032");
  step.picture(
          course::Bars("share of answers that are right, mean", {"softmax", "even", "replaced"}))
      .digits(2)
      .group("16 numbers", {soft_right.mean, flat_right.mean, replaced.mean})
      .group("32 numbers", {many_right.mean, flat_many_right.mean,
                            course::spread_of(each(soft_many, without)).mean});
  step
      .picture(course::Curves(
          "share of answers that are right while training, model 0, means of 20", "update"))
      .series("16, softmax", tasks::moving_mean(soft[0]->curves->accuracy))
      .series("16, even", tasks::moving_mean(flat[0]->curves->accuracy))
      .series("32, softmax", tasks::moving_mean(soft_many[0]->curves->accuracy))
      .series("32, even", tasks::moving_mean(flat_many[0]->curves->accuracy));
  const bool looks = weight.lowest > 0.8 && replaced.highest < 0.5;
  const bool chosen = flat_right.lowest > 0.95 && flat_many_right.highest < 0.8;
  step.claim("A8", Evidence::kTensor, 2 * (models + few) * 1000)
      .seeds(static_cast<int>(models))
      .as_stated(looks)
      .right(looks && chosen && many_right.lowest > flat_many_right.highest)
      .value(weight.mean)
      .interval(weight.lowest, weight.highest)
      .expected(
          "w of the answer > 0.8, replaced < 0.5; even: > 0.95 with 16 numbers, < 0.8 with 32")
      .tolerance("bounds of the rule, in every model")
      .found(fmt::format("w {:.3f}, replaced {:.2f}; even {:.3f} with 16, {:.2f} with 32",
                         weight.mean, replaced.mean, flat_right.mean, flat_many_right.mean));
  step.why(
      "Descent takes the way through attention, and the model then needs it. Eight components hold "
      "a sum that tells the largest of four; four do not hold twelve.");
  step.try_next({"./gradwalk run 17 --claim=A8 --break=even-weights",
                 "./gradwalk run 17 --claim=A8 --predict"});
}

}  // namespace gradwalk::lesson_17
