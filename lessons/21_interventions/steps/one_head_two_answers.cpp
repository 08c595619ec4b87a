#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/21_interventions/example_text.h"
#include "lessons/21_interventions/steps/steps.h"
#include "lessons/21_interventions/trained_models.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_21 {
namespace {

using course::Evidence;
using course::Step;
using tasks::ExtraLoss;
using tasks::NumberTraining;

double nouns_right(const TrainedModel& model) { return model.score.noun_accuracy; }

double numbers_right(const TrainedModel& model) { return model.score.accuracy; }

double on_number(const TrainedModel& model) { return model.score.on_answer[0]; }

double on_noun(const TrainedModel& model) { return model.score.on_noun[0]; }

double mean(const Models& models, double (*of)(const TrainedModel&)) {
  return course::spread_of(each(models, of)).mean;
}

// What nouns lose, model by model.
course::Spread lost(const Models& plain, const Models& under_pressure) {
  std::vector<double> losses = each(plain, nouns_right);
  const std::vector<double> rest = each(under_pressure, nouns_right);
  for (std::size_t model = 0; model < losses.size(); ++model) losses[model] -= rest[model];
  return course::spread_of(losses);
}

Models models_of(Step& step, std::int64_t heads, const AuxiliaryLoss& auxiliary) {
  NumberTraining training;
  training.task.question = tasks::NumberQuestion::kJoint;
  training.model.heads = heads;
  training.updates = static_cast<int>(step.whole("updates"));
  return trained_models(step, with_auxiliary(step, auxiliary, training), step.whole("few"));
}

// A training that must answer both, under a growing pressure; first without any.
std::vector<Models> sweep(Step& step, std::int64_t heads, ExtraLoss loss,
                          const std::vector<double>& weights) {
  std::vector<Models> all;
  for (const double weight : weights) all.push_back(models_of(step, heads, {loss, weight}));
  return all;
}

}  // namespace

void one_head_two_answers(Step& step) {
  const std::int64_t models = step.whole("few");
  const bool second = step.broken("second-head");
  // A control needs what the claim is about, and no more.
  const bool short_form = step.quick() || second;
  const std::int64_t heads = second ? 2 : 1;
  const std::vector<double> weights =
      short_form ? std::vector<double>{0, 1} : std::vector<double>{0, 0.1, 0.3, 1, 3, 10};
  const std::size_t judged = short_form ? 1 : 3;  // lambda 1
  step.formula("asked: the largest number and the last noun, n0 to n15 in a row");
  step.formula("u = e_CLS + W_O o [16]     one u, read twice: C u + b and C' u + b'");
  step.formula("loss = -ln p(number) - ln p(noun) + lambda (-ln w of the number)");
  step.formula("one head: one w for both      two heads: lambda acts on head 0");
  const std::vector<Models> of_one = sweep(step, heads, ExtraLoss::kAttention, weights);
  const std::vector<Models> of_two = sweep(step, 2, ExtraLoss::kAttention, {0, 1});
  const course::Spread one = lost(of_one[0], of_one[judged]), two = lost(of_two[0], of_two[1]);
  const double rest = mean(of_one[judged], nouns_right);
  step.predict("One head is pressed to look at the number (lambda 1). How many nouns are right?",
               {"as many as without", "about half of that", "as many as by guessing"},
               one.mean < 0.1 ? 0
               : rest > 0.15  ? 1
                              : 2);
  auto table = step.table(
      fmt::format("means of {} models, {} updates; w of head 0", models, step.whole("updates")),
      {"nouns", "lowest", "highest", "numbers", "w number", "w noun"});
  const auto row = [&](const std::string& name, const Models& found, const std::string& note = "") {
    const course::Spread right = course::spread_of(each(found, nouns_right));
    table.digits({3, 3, 3, 3, 2, 2})
        .row(name,
             {right.mean, right.lowest, right.highest, mean(found, numbers_right),
              mean(found, on_number), mean(found, on_noun)},
             note);
  };
  for (std::size_t i = 0; i < weights.size(); ++i) {
    row(fmt::format("lambda {}", weights[i]), of_one[i],
        i == 0 ? "share right; guessing: 0.067" : "");
  }
  std::vector<Models> of_pairs;
  if (!short_form) {
    of_pairs = sweep(step, heads, ExtraLoss::kPairs, {1, 3, 10});
    row("pairs 1", of_pairs[0], "the loss on pairs instead");
    row("pairs 3", of_pairs[1]);
    row("pairs 10", of_pairs[2]);
  }
  row("2 heads, lambda 0", of_two[0]);
  row("2 heads, lambda 1", of_two[1],
      fmt::format("head 1: w noun {:.2f}",
                  mean(of_two[1], [](const TrainedModel& m) { return m.score.on_noun[1]; })));
  std::vector<double> nouns, numbers;
  for (const Models& found : of_one) {
    nouns.push_back(mean(found, nouns_right));
    numbers.push_back(mean(found, numbers_right));
  }
  step.picture(course::Bars("nouns right, numbers right", {"nouns", "numbers"}))
      .digits(2)
      .group("1 head, lambda 0", {nouns[0], numbers[0]})
      .group("1 head, lambda 1", {nouns[judged], numbers[judged]})
      .group("2 heads, lambda 0", {mean(of_two[0], nouns_right), mean(of_two[0], numbers_right)})
      .group("2 heads, lambda 1", {mean(of_two[1], nouns_right), mean(of_two[1], numbers_right)});
  if (!short_form) {
    step.picture(course::Curves("one head: share right as lambda grows",
                                "one of lambda 0, 0.1, 0.3, 1, 3, 10"))
        .series("nouns", nouns)
        .series("numbers", numbers);
  }
  record_reading(step, "w of one text, model 0: asked are 12 and n14",
                 {"1 head, 0", "1 head, 1", "2 heads, 1: 0", "2 heads, 1: 1"},
                 {of_one[0][0]->heads[0], of_one[judged][0]->heads[0], of_two[1][0]->heads[0],
                  of_two[1][0]->heads[1]});
  const bool harmed = one.lowest > 0.3;
  step.claim("A23", Evidence::kTensor, 4 * models * 1000)
      .seeds(static_cast<int>(models))
      .as_stated(harmed)
      .right(harmed && two.highest < 0.05)
      .value(one.mean)
      .interval(one.lowest, one.highest)
      .expected("nouns right, lambda 0 less lambda 1: one head > 0.3, two heads < 0.05")
      .tolerance("bounds of the rule, in each model")
      .found(fmt::format("nouns lose {:.2f} with one head, {:+.2f} with two", one.mean, two.mean));
  step.why(
      "One head has weights that sum to 1: what the number gets, the noun lacks, and its loss "
      "cannot pull it back. A second head has a sum of its own.");
  step.try_next({"./gradwalk run 21 --claim=A23 --break=second-head",
                 "./gradwalk run 21 --claim=A23 --set=updates=1500"});
}

}  // namespace gradwalk::lesson_21
