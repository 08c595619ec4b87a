#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/21_interventions/example_text.h"
#include "lessons/21_interventions/steps/steps.h"
#include "lessons/21_interventions/trained_models.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_21 {
namespace {

using course::Evidence;
using course::Step;
using tasks::ExtraLoss;
using tasks::NumberQuestion;
using tasks::NumberTraining;

double gap(const TrainedModel& model) { return model.alignment.gap(); }

double rho(const TrainedModel& model) { return model.alignment.rho; }

double spread(const TrainedModel& model) { return model.alignment.spread; }

double on_answer(const TrainedModel& model) { return model.score.on_answer[0]; }

double on_numbers(const TrainedModel& model) { return model.score.on_numbers[0]; }

double right(const TrainedModel& model) { return model.score.accuracy; }

course::Spread over(const Models& models, double (*of)(const TrainedModel&)) {
  return course::spread_of(each(models, of));
}

}  // namespace

void geometry_alone(Step& step) {
  const std::int64_t models = step.whole("few");
  const auto trained = [&](NumberQuestion question, double task_weight, double lambda) {
    NumberTraining training;
    training.task.question = question;
    training.task_weight = task_weight;
    training.updates = static_cast<int>(step.whole("geometry_updates"));
    return trained_models(step, with_auxiliary(step, {ExtraLoss::kGeometry, lambda}, training),
                          models);
  };
  step.formula("gap = mean cos(q, k) of the numbers - that of the nouns, 2 at most");
  step.formula("loss = task_weight (-ln p(answer)) - lambda gap");
  step.formula("drawn: each answer is drawn, the text does not say it; lambda 1");
  step.formula("none: no answers at all, task_weight 0, lambda 1: geometry alone");
  step.formula("task: answers that are right, lambda 0 to 10");
  step.formula("rho: are z of the numbers in order?   std z: how far apart, nats");
  const NumberQuestion told =
      step.broken("answers-told") ? NumberQuestion::kMax : NumberQuestion::kNothing;
  const Models drawn = trained(told, 1, 1);
  const std::vector<double> lambdas =
      step.quick() ? std::vector<double>{0, 10} : std::vector<double>{0, 0.1, 1, 10};
  std::vector<Models> task;
  for (const double lambda : lambdas) task.push_back(trained(NumberQuestion::kMax, 1, lambda));
  const course::Spread drawn_gap = over(drawn, gap), drawn_right = over(drawn, right);
  const double free = over(task.front(), on_answer).mean;
  const double pressed_down = over(task.back(), on_answer).mean;
  step.predict("The gap is rewarded, answers are drawn. Gap near 2: is the largest number named?",
               {"nearly always", "about half of the time", "as by guessing"},
               drawn_right.mean > 0.8    ? 0
               : drawn_right.mean > 0.15 ? 1
                                         : 2);
  auto table = step.table(fmt::format("means of {} models, {} updates; right: of 1000 texts",
                                      models, step.whole("geometry_updates")),
                          {"gap", "rho", "std z", "w numbers", "w answer", "right"});
  const auto row = [&](const std::string& name, const Models& found, const std::string& note = "") {
    table.digits({2, 2, 2, 3, 3, 3})
        .row(name,
             {over(found, gap).mean, over(found, rho).mean, over(found, spread).mean,
              over(found, on_numbers).mean, over(found, on_answer).mean, over(found, right).mean},
             note);
  };
  row("drawn, lambda 1", drawn, "even: w 0.333, 0.111");
  if (!step.quick()) row("none, lambda 1", trained(NumberQuestion::kMax, 0, 1));
  std::vector<double> gaps, weights;
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    row(fmt::format("task, lambda {}", lambdas[i]), task[i],
        i == 0 ? "this gap nobody asked for" : "");
    gaps.push_back(over(task[i], gap).mean);
    weights.push_back(over(task[i], on_answer).mean);
  }
  if (!step.quick()) {
    step.picture(course::Curves("with the right answers, as lambda grows",
                                "one of lambda 0, 0.1, 1, 10"))
        .series("gap", gaps)
        .series("w answer", weights);
  }
  step.picture(course::Curves("score z of each number less the mean, model 0, in nats",
                              "what the number is worth"))
      .series("drawn, lambda 1", centred_scores(drawn[0]->alignment))
      .series("task, lambda 0", centred_scores(task.front()[0]->alignment))
      .series("task, lambda 10", centred_scores(task.back()[0]->alignment));
  tasks::draw_keys(step, "keys, drawn answers and geometry, model 0", drawn[0]->heads[0].keys, {});
  tasks::draw_keys(step, "keys, right answers alone, model 0", task.front()[0]->heads[0].keys, {});
  record_reading(step, "w of one text, model 0, by lambda: the largest is 12",
                 {"drawn", "task, 0", "task, 10"},
                 {drawn[0]->heads[0], task.front()[0]->heads[0], task.back()[0]->heads[0]});
  const bool learns_nothing = drawn_gap.lowest > 1.9 && drawn_right.highest < 0.15;
  step.claim("A24", Evidence::kTensor, 3 * models * 1000)
      .seeds(static_cast<int>(models))
      .as_stated(learns_nothing)
      .right(learns_nothing && pressed_down < free)
      .value(drawn_right.mean)
      .interval(drawn_right.lowest, drawn_right.highest)
      .expected("geometry alone: gap > 1.9, right < 0.15; with answers, lambda 10: w < lambda 0")
      .tolerance("bounds of the rule, in each model; w: means")
      .found(fmt::format("gap {:.2f} with {:.3f} right; w {:.3f} to {:.3f}", drawn_gap.mean,
                         drawn_right.mean, free, pressed_down));
  step.why(
      "A cosine of 1 for all numbers prefers none of them; only lengths of keys are left to tell "
      "them apart. The gap comes from the task, not the task from the gap.");
  step.try_next({"./gradwalk run 21 --claim=A24 --break=answers-told",
                 "./gradwalk run 21 --claim=A24 --predict"});
}

}  // namespace gradwalk::lesson_21
