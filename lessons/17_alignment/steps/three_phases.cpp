#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/phases.h"
#include "lessons/17_alignment/records.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "lessons/tasks/training.h"
#include "nn/attention.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

struct MeanPhases {
  MeanPhase early, middle, late;
};

MeanPhases mean_phases(const std::vector<const ModelMeasures*>& models) {
  std::vector<Phases> all;
  for (const ModelMeasures* model : models) all.push_back(phases_of(*model->curves));
  return {mean_phase(all, &Phases::early), mean_phase(all, &Phases::middle),
          mean_phase(all, &Phases::late)};
}

// log10 of means of 5.
std::vector<double> smooth_log(const std::vector<double>& curve) {
  std::vector<double> logs = tasks::moving_mean(curve, /*window=*/5);
  for (double& value : logs) value = std::log10(value);
  return logs;
}

// One text as model 0 reads it after so many updates.
void record_weights(Step& step, Kind kind, const std::vector<std::int64_t>& updates) {
  std::vector<Tensor> queries, keys, scores, weights;
  std::vector<std::string> names;
  const tasks::NumberTask task = training_of(kind, 0).task;
  const tasks::NumberBatch text = one_text(step, task);
  for (const std::int64_t after : updates) {
    const auto trained = model_of(step, training_of(kind, after));
    const NoGrad no_grad;
    nn::AttentionTrace trace;
    trained.model->summary(text.ids, {.trace = &trace});
    const auto of_head = [](const Variable& x) { return select(x.value(), 0, 0); };
    queries.push_back(select(of_head(trace.query), 0, 0));
    keys.push_back(of_head(trace.key));
    scores.push_back(select(of_head(trace.scaled_scores), 0, 0));
    weights.push_back(select(of_head(trace.weights), 0, 0));
    names.push_back(fmt::format("{}", after));
  }
  const std::vector<std::string> tokens = token_names(text.ids, task);
  const double scale = kind == Kind::kUniform ? 0 : 1 / std::sqrt(8.0);
  const auto record = [&](const char* name, const std::vector<Tensor>& rows) {
    return step.tensor(name, concat(rows, 0)).axes("updates", "token").rows(names).columns(tokens);
  };
  step.tensor("Q", concat(queries, 0))
      .axes("updates", "component")
      .rows(names)
      .explain(Explain::given("W_Q e_CLS of model 0"));
  step.tensor("K", concat(keys, 0))
      .axes("updates", "token", "component")
      .rows(names)
      .explain(Explain::given("W_K e of each token"));
  record("S", scores).explain(Explain::contraction("uc,utc->ut", {"Q", "K"}, scale));
  record("W", weights).explain(Explain::softmax("S"));
  step.picture(course::Heatmap("weights of one text after so many updates; n: noun", {"W"}));
}

}  // namespace

void three_phases(Step& step) {
  const std::int64_t models = step.whole("seeds"), few = step.whole("few");
  const std::int64_t updates = step.whole("updates");
  const bool even = step.broken("even-weights");
  const Kind kind = even ? Kind::kUniform : Kind::kMax;
  step.formula("L: loss in nats, mean of 5 updates      L_0: the first, about ln 16");
  step.formula("early: until L < 0.9 L_0   middle: until L < 0.1 L_0   late: after");
  step.formula("|g| = |dL/dW_Q|, root of the sum of squares");
  step.formula("turn: angle between q before and after an update, in degrees");
  step.formula("large e: the table of embeddings begins as N(0, 1), not N(0, 0.09)");
  const auto main = model_measures(step, training_of(kind, updates), models);
  const MeanPhases found = mean_phases(main);
  step.predict("When is the gradient at W_Q largest?", {"early", "in the middle", "late"},
               found.middle.phase.gradient > found.early.phase.gradient ? 1 : 0);
  auto table = step.table(fmt::format("means of {} models (other rows: {})", models, few),
                          {"from", "to", "|g|", "turn", "w answer", "gap"});
  const auto rows = [&](Kind of_kind, const MeanPhases& of, std::int64_t trained) {
    const auto row = [&](const char* when, const MeanPhase& mean) {
      if (mean.trainings == 0) return;
      const Phase& phase = mean.phase;
      table.digits({0, 0, 4, 3, 3, 2})
          .row(fmt::format("{}, {}", name(of_kind), when),
               {static_cast<double>(phase.begin), static_cast<double>(phase.end), phase.gradient,
                phase.turn, phase.on_answer, phase.gap},
               mean.trainings < trained ? fmt::format("of {}", mean.trainings) : "");
    };
    row("early", of.early);
    row("middle", of.middle);
    row("late", of.late);
  };
  rows(kind, found, models);
  if (!step.quick()) {
    for (const Kind other : {Kind::kSgd, Kind::kLargeTable})
      rows(other, mean_phases(model_measures(step, training_of(other, updates), few)), few);
  }
  const tasks::NumberCurves& curves = *main[0]->curves;
  step.picture(course::Curves("model 0: where q points, and what it brings", "update"))
      .series("gap", beginning(tasks::moving_mean(curves.gap, 5)))
      .series("rho", beginning(tasks::moving_mean(curves.rho, 5)))
      .series("w answer", beginning(tasks::moving_mean(curves.on_answer, 5)));
  const Phase &early = found.early.phase, &middle = found.middle.phase, &late = found.late.phase;
  auto& logs =
      step.picture(course::Curves("model 0: log10, -2 is a hundredth; means of 5", "update"));
  logs.series("loss", smooth_log(curves.loss)).series("turn", smooth_log(curves.turn));
  // Even weights let no gradient through: there is no logarithm of it.
  if (middle.gradient > 0) logs.series("|g|", smooth_log(curves.gradient));
  record_weights(step, kind, {0, found.early.phase.end, step.whole("middle"), updates});
  const bool settles = found.late.trainings == models && early.turn > middle.turn &&
                       middle.turn > late.turn && late.gradient < 0.1 * middle.gradient &&
                       late.on_answer > 0.8;
  step.claim("A21", Evidence::kTensor, models * updates)
      .seeds(static_cast<int>(models))
      .as_stated(settles)
      .right(settles && early.gradient < middle.gradient)
      .value(middle.gradient - early.gradient)
      .expected("turn falls; late |g| < 0.1 x middle, w > 0.8; |g| early < middle")
      .tolerance("bounds of the rule, on means over the models")
      .found(fmt::format("turn {:.2f} {:.2f} {:.3f}; |g| {:.4f} {:.4f} {:.4f}; w {:.3f}",
                         early.turn, middle.turn, late.turn, early.gradient, middle.gradient,
                         late.gradient, late.on_answer));
  step.why(
      "Early, q has small keys to follow and is turned about; once values say something, the pull "
      "is strong and one way; then the loss is gone, and so is the pull.");
  step.try_next({"./gradwalk run 17 --claim=A21 --break=even-weights",
                 "./gradwalk run 17 --claim=A21 --set=updates=800"});
}

}  // namespace gradwalk::lesson_17
