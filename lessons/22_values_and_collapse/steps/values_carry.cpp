#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "lessons/22_values_and_collapse/key_spread.h"
#include "lessons/22_values_and_collapse/steps/steps.h"
#include "lessons/22_values_and_collapse/values.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/attention.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_22 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;
using tasks::ExtraLoss;

constexpr double kNoGuess = 0.2;  // three times what guessing blindly gets

// One text by hand: its weights, its values, and what [CLS] gets.
void record_text(Step& step, const tasks::ClsModel& model, const tasks::NumberTask& task,
                 std::uint64_t seed, Changed changed) {
  const tasks::NumberBatch text = tasks::number_tests(task, seed, 1);
  std::vector<std::string> tokens;
  for (const double id : text.ids.to_vector()) {
    const auto token = static_cast<std::int64_t>(id);
    tokens.push_back(token == 0              ? "[CLS]"
                     : token <= task.numbers ? fmt::format("{}", token - 1)
                                             : fmt::format("noun {}", token - 1 - task.numbers));
  }
  const NoGrad no_grad;
  const auto of_head = [](const Variable& x) { return select(select(x.value(), 0, 0), 0, 0); };
  nn::AttentionTrace as_trained, alike;
  model.summary(text.ids, {.trace = &as_trained});
  model.summary(text.ids,
                {.trace = &alike, .value_table = value_tables(model, task, changed).alike});
  step.tensor("z", select(of_head(as_trained.scaled_scores), 0, 0))
      .axes("token")
      .columns(tokens)
      .explain(Explain::given("q.k / sqrt(8) of the first test text, first model"));
  step.tensor("w", select(of_head(as_trained.weights), 0, 0))
      .axes("token")
      .columns(tokens)
      .explain(Explain::softmax("z"));
  for (const auto& [name, trace] : {std::pair{"", &as_trained}, {"_alike", &alike}}) {
    const std::string values = fmt::format("V{}", name), output = fmt::format("o{}", name);
    step.tensor(values, of_head(trace->value))
        .axes("token", "component")
        .rows(tokens)
        .explain(Explain::given("values of the text's tokens"));
    step.tensor(output, select(of_head(trace->head_outputs), 0, 0))
        .axes("component")
        .explain(Explain::contraction("t,tc->c", {"w", values}));
  }
}

// Models of one way of training, on their test texts.
struct Trained {
  course::Spread right;         // share
  course::Spread right_even;    // with uniform weights afterwards
  std::vector<double> weights;  // on all numbers by the answer 1, 2, ...; first model
};

Trained trained_as(Step& step, const tasks::NumberTraining& training) {
  const std::int64_t seeds = step.whole("seeds");
  std::vector<double> right, right_even, weights;
  for (std::int64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(i);
    const auto model =
        trained_number_model(training, seed, step.training_progress(i, seeds, training.updates))
            .model;
    const tasks::NumberBatch texts = tasks::number_tests(training.task, seed, kTestTexts);
    right.push_back(number_score(*model, training.task, texts).accuracy);
    if (i == 0) weights = weight_by_answer(*model, training.task, texts);
    tasks::make_uniform(*model, 0);
    right_even.push_back(number_score(*model, training.task, texts).accuracy);
  }
  weights.erase(weights.begin());  // 0 is never the answer
  return {course::spread_of(right), course::spread_of(right_even), weights};
}

// Share right of trained models whose weights, values, or both are changed.
struct Changes {
  course::Spread both, only_weights, only_values, neither;
  double highest;  // of all changed ones
};

Changes change_trained(Step& step, const tasks::NumberTraining& usual) {
  const std::int64_t seeds = step.whole("seeds");
  const Changed changed = step.broken("nouns-instead") ? Changed::kNouns : Changed::kNumbers;
  const std::string who = changed == Changed::kNouns ? "nouns" : "numbers";
  std::vector<ValueScores> scores;
  for (std::int64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(i);
    const auto model =
        trained_number_model(usual, seed, step.training_progress(i, seeds, usual.updates)).model;
    scores.push_back(value_scores(*model, usual.task,
                                  tasks::number_tests(usual.task, seed, kTestTexts), changed));
    if (i == 0) record_text(step, *model, usual.task, seed, changed);
  }
  auto table =
      step.table(fmt::format("trained models, then changed: share of {} texts right; models: {}",
                             kTestTexts, seeds),
                 {"mean", "lowest", "highest"});
  table.digits(3);
  Changes all{};
  const auto row = [&](const std::string& name, double ValueScores::*what,
                       const std::string& note = "") {
    const course::Spread spread = over(scores, what);
    table.row(name, {spread.mean, spread.lowest, spread.highest}, note);
    if (what != &ValueScores::trained) all.highest = std::max(all.highest, spread.highest);
    return spread;
  };
  all.both = row("as trained", &ValueScores::trained);
  all.only_weights = row(fmt::format("values of {} alike", who), &ValueScores::alike,
                         fmt::format("their mean; weights stay, {:.2f} on the largest",
                                     over(scores, &ValueScores::on_answer_alike).mean));
  row(fmt::format("values of {} shuffled", who), &ValueScores::shuffled, "each has another's");
  row(fmt::format("values of {} 0", who), &ValueScores::none);
  all.only_values =
      row("weights uniform", &ValueScores::even, "1/9 for each token, values as trained");
  all.neither = row("weights uniform, values alike", &ValueScores::even_alike);
  step.number("guessing blindly", 1.0 / 15, "one of 15 answers", 3);
  return all;
}

}  // namespace

void values_carry(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  tasks::NumberTraining usual;
  usual.updates = static_cast<int>(step.whole("updates"));
  tasks::NumberTraining fixed = usual, alike = usual;
  fixed.move_value = false;
  alike.model.one_value = usual.task.numbers;
  alike.updates = static_cast<int>(step.whole("alike_updates"));
  tasks::NumberTraining shown = alike;
  shown.extra = ExtraLoss::kAttention;
  shown.extra_weight = 1;

  step.formula("a text: [CLS], 8 tokens, 2 to 4 of them numbers. Which is largest?");
  step.formula("w = softmax(q.k_i / sqrt(8))    o = sum_i w_i v_i    v_i = W_V e_i");
  step.formula("answer: read off e_CLS + W_O o. Keys decide w, values what arrives");
  const auto [both, only_weights, only_values, neither, highest] = change_trained(step, usual);
  const Trained as_drawn = trained_as(step, fixed), one_value = trained_as(step, alike);
  auto other =
      step.table("trained so from the start: share right", {"mean", "lowest", "highest", "even"});
  other.digits(3);
  const auto trained_row = [&](const std::string& name, const Trained& models,
                               const std::string& note) {
    other.row(
        name,
        {models.right.mean, models.right.lowest, models.right.highest, models.right_even.mean},
        note);
  };
  trained_row("usual", trained_as(step, usual), "even: mean with uniform weights afterwards");
  trained_row("W_V stays as drawn", as_drawn, "random, yet other for each number");
  trained_row("one value for all numbers", one_value, "only weights can tell numbers apart");
  if (!step.quick()) {
    trained_row("the same, told where to look", trained_as(step, shown),
                "a second loss: weight on the largest");
  }

  step.tensor("right", from_vector({both.mean, only_weights.mean, only_values.mean, neither.mean},
                                   {2, 2}, DType::kFloat64))
      .axes("weights", "values")
      .rows({"trained", "uniform"})
      .columns({"trained", "alike"})
      .explain(Explain::given("share of test texts right, mean of the models"));
  step.picture(
      course::Heatmap("share right. Rows: weights, columns: values. Both are needed", {"right"}));
  step.picture(
          course::Curves("weight of [CLS] on all numbers together, first model", "answer, less 1"))
      .series("usual", trained_as(step, usual).weights)
      .series("one value", one_value.weights);
  step.predict("Training starts with one value for all numbers. What can be learned?",
               {"nothing: there is nothing to hand over", "some answers", "all answers"},
               one_value.right.mean < kNoGuess ? 0
               : one_value.right.mean < 0.95   ? 1
                                               : 2);
  const bool needed = both.lowest > 0.95 && highest < 0.3;
  const bool smuggled = one_value.right.mean > kNoGuess && one_value.right_even.highest < kNoGuess;
  step.claim("A26", Evidence::kTensor, /*cases=*/6 * kTestTexts * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(needed)
      .right(needed && as_drawn.right.mean > 0.9 && smuggled)
      .value(only_weights.mean)
      .interval(only_weights.lowest, only_weights.highest)
      .expected("right > 0.95, changed < 0.3; trained: W_V as drawn > 0.9, one value > 0.2")
      .tolerance("bounds of the rule, in every model; trained: means; 0.2 is 3 times chance")
      .found(fmt::format("{:.2f}, alike {:.2f}, uniform {:.2f}; as drawn {:.2f}, one value {:.2f}",
                         both.mean, only_weights.mean, only_values.mean, as_drawn.right.mean,
                         one_value.right.mean));
  step.why(
      "Weights say whom [CLS] hears, values what it hears. Trained with one value, a model speaks "
      "by weights: how much all numbers get tells their largest.");
  step.try_next({"./gradwalk run 22 --claim=A26 --break=nouns-instead",
                 "./gradwalk run 22 --claim=A26 --predict"});
}

}  // namespace gradwalk::lesson_22
