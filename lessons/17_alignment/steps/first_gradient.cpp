#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/variable.h"
#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/query_gradient.h"
#include "lessons/17_alignment/records.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/attention.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kTowards = 0.85;  // share of pushes

// The gradient at q of one text before any training, taken apart.
void record_gradient(Step& step, const tasks::NumberTask& task) {
  const auto model = tasks::new_number_model({.task = task}, 100 * step.seed());
  const tasks::NumberBatch text = one_text(step, task);
  const std::vector<std::string> tokens = token_names(text.ids, task);
  nn::AttentionTrace trace;
  const Variable loss =
      cross_entropy(model->logits(model->summary(text.ids, {.trace = &trace})), text.answer);
  for (const Variable& x : {trace.query, trace.scaled_scores, trace.head_outputs}) x.retain_grad();
  backward(loss);
  const auto of_head = [](const Tensor& x) { return select(select(x, 0, 0), 0, 0); };
  const auto first_row = [&](const Tensor& x) { return select(of_head(x), 0, 0); };
  const auto table = [&](const char* name, const Variable& rows, const char* what) {
    step.tensor(name, of_head(rows.value()))
        .axes("token", "component")
        .rows(tokens)
        .explain(Explain::given(what));
  };
  table("K", trace.key, "W_K e of each token, model 0 as it begins");
  table("V", trace.value, "W_V e of each token");
  step.tensor("w", first_row(trace.weights.value()))
      .axes("token")
      .columns(tokens)
      .explain(Explain::given("softmax of z, almost even before training"));
  step.gradient("o", first_row(trace.head_outputs.grad()))
      .axes("component")
      .explain(Explain::given("dL/do of this text, by backpropagation"));
  step.gradient("z", first_row(trace.scaled_scores.grad()))
      .axes("token")
      .columns(tokens)
      .explain(Explain::sum({Explain::contraction("t,c,tc->t", {"w", "do", "V"}),
                             Explain::contraction("t,c,s,sc->t", {"w", "do", "w", "V"}, -1)}));
  step.gradient("q", first_row(trace.query.grad()))
      .axes("component")
      .explain(Explain::contraction("t,tc->c", {"dz", "K"}, 1 / std::sqrt(8.0)));
  step.picture(
      course::Heatmap("one text before training: w, and dL/dz; below 0: drawn to q", {"w", "dz"}));
}

// Shares of the cosines in eight bins of [-1, 1].
std::vector<double> histogram(const std::vector<double>& cosines) {
  std::vector<double> shares(8, 0);
  for (const double cosine : cosines) {
    const auto bin = static_cast<std::size_t>(std::clamp((cosine + 1) * 4, 0.0, 7.0));
    shares[bin] += 1 / static_cast<double>(cosines.size());
  }
  return shares;
}

}  // namespace

void first_gradient(Step& step) {
  const std::int64_t starts = step.whole("starts"), models = step.whole("values");
  const std::int64_t updates = step.whole("value_updates");
  const tasks::NumberTask task =
      training_of(step.broken("random-answers") ? Kind::kRandom : Kind::kMax, 0).task;
  step.formula("dL/dz_t = w_t dL/do.(v_t - o)   dL/dq = sum_t dL/dz_t k_t / sqrt(8)");
  step.formula("n = mean key of the numbers - mean key of the nouns, [8]");
  step.formula("push = cos(-dL/dq, n): 1 straight to the numbers, -1 straight away");
  step.formula("twin: the same start with W_V times -1, just as likely a start");
  const InitialGradients first = initial_gradients(step, task, starts);
  const std::vector<double> trained = gradient_with_values(step, task, models, updates);
  const double at_start = share_positive(first.of_starts), later = share_positive(trained);
  step.predict("Before any training: how many of the models does the gradient push to numbers?",
               {"nearly all", "about half", "nearly none"},
               at_start > kTowards       ? 0
               : at_start < 1 - kTowards ? 2
                                         : 1);
  auto table = step.table(
      fmt::format("push, from 1000 texts a model; values trained for {} updates", updates),
      {"share > 0", "lowest", "mean", "highest"});
  const auto row = [&](const std::string& label, const std::vector<double>& pushes,
                       const std::string& note) {
    const course::Spread spread = course::spread_of(pushes);
    table.digits({2, 2, 2, 2})
        .row(label, {share_positive(pushes), spread.lowest, spread.mean, spread.highest}, note);
  };
  row("before training", first.of_starts, fmt::format("of {}", starts));
  row("their twins", first.of_twins, "");
  row("values trained", trained, fmt::format("of {}", models));
  step.number("rho of starts and twins", nn::spearman(first.of_starts, first.of_twins),
              "-1: a mirror", 2);
  auto& bars = step.picture(
      course::Bars("share of models by their push", {"before training", "values trained"}));
  const std::vector<double> before = histogram(first.of_starts), after = histogram(trained);
  for (std::size_t bin = 0; bin < before.size(); ++bin) {
    const double from = -1 + 0.25 * static_cast<double>(bin);
    bars.digits(2).group(fmt::format("{:.2f} to {:.2f}", from, from + 0.25),
                         {before[bin], after[bin]});
  }
  record_gradient(step, task);
  const double error = 0.5 / std::sqrt(static_cast<double>(starts));
  step.claim("A32", Evidence::kTensor, 2 * starts + models)
      .seeds(static_cast<int>(starts))
      .as_stated(at_start > kTowards)
      .right(std::abs(at_start - 0.5) <= 4 * error && later > kTowards)
      .value(at_start)
      .interval(std::max(0.0, at_start - 4 * error), std::min(1.0, at_start + 4 * error))
      .expected("push > 0 in half of the starts; with values trained in > 0.85 of the models")
      .tolerance(fmt::format("0.5 +-{:.2f}, 4 SE, {} starts", 4 * error, starts))
      .found(fmt::format("push > 0: {:.2f} at the start, {:.2f} with values", at_start, later));
  step.why(
      "The gradient draws q to keys whose values help the readout. At the start values say nothing "
      "yet, and another sign of W_V mostly turns the push about.");
  step.try_next({"./gradwalk run 17 --claim=A32 --break=random-answers",
                 "./gradwalk run 17 --claim=A32 --set=starts=400"});
}

}  // namespace gradwalk::lesson_17
