#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/21_interventions/example_text.h"
#include "lessons/21_interventions/steps/steps.h"
#include "lessons/21_interventions/trained_models.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_21 {
namespace {

using course::Explain;
using course::Explanation;
using course::Index;
using course::Operands;
using course::Step;
using tasks::ExtraLoss;

constexpr std::int64_t kNumbers = 16;

// The three extra losses of one model, counted by hand: in loops and in float64.
struct ByHand {
  double attention;  // of the example text
  double pairs;
  double geometry;
};

ByHand by_hand(const TrainedModel& model) {
  const ExampleText text = example_text();
  const std::vector<double> z = model.alignment.match.logits.to_vector();
  double sum = 0;
  for (const double id : text.ids) sum += std::exp(z[static_cast<std::size_t>(id)]);
  double pairs = 0;
  for (std::size_t j = 1; j <= kNumbers; ++j) {
    for (std::size_t i = 1; i < j; ++i) pairs += std::log1p(std::exp(z[i] - z[j]));
  }
  return {.attention = std::log(sum) - z[static_cast<std::size_t>(text.ids[text.largest])],
          .pairs = pairs / (kNumbers * (kNumbers - 1) / 2.0),
          .geometry = -model.alignment.gap()};
}

// By how much the first loss of a training is higher with an extra loss of weight 1.
double added(const Step& step, ExtraLoss extra) {
  const auto first_loss = [&](const tasks::NumberTraining& training) {
    return tasks::trained_number_model(training, model_seed(step, 0)).curves.loss.at(0);
  };
  return first_loss({.updates = 1, .extra = extra, .extra_weight = 1}) - first_loss({.updates = 1});
}

// The pairs' losses of the trained model, and how each comes about.
void record_pairs(Step& step, const TrainedModel& model) {
  std::vector<std::string> worth;
  for (std::int64_t v = 0; v < kNumbers; ++v) worth.push_back(std::to_string(v));
  const Tensor scores = tasks::number_rows(model.alignment.match.logits, {});
  step.tensor("z_v", scores)
      .axes("number")
      .columns(worth)
      .explain(Explain::given("q.k / sqrt(8) of each number, as trained"));
  const std::vector<double> z = scores.to_vector();
  std::vector<double> losses, hidden;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < z.size(); ++j) {
      losses.push_back(std::log1p(std::exp(z[i] - z[j])));
      hidden.push_back(j > i ? 0 : 1);
    }
  }
  step.tensor("L_ij", from_vector(losses, {kNumbers, kNumbers}, DType::kFloat64))
      .axes("smaller i", "larger j")
      .rows(worth)
      .columns(worth)
      .masked(from_vector(hidden, {kNumbers, kNumbers}, DType::kBool))
      .explain(Explain::custom([](const Index& at, const Operands& of) {
        const double low = of("z_v", {at[0]}), high = of("z_v", {at[1]});
        Explanation e;
        e.value = std::log1p(std::exp(low - high));
        e.magnitude = 1;
        e.formula = fmt::format("ln(1 + e^-(z_v[{}] - z_v[{}]))", at[1], at[0]);
        e.lines = {fmt::format("z_v[{}] - z_v[{}] = {:.4f}", at[1], at[0], high - low)};
        e.next = {fmt::format("z_v[{}]", at[1]), fmt::format("z_v[{}]", at[0])};
        return e;
      }));
}

}  // namespace

void what_can_be_added(Step& step) {
  tasks::NumberTraining training;
  training.updates = 0;
  const TrainedModel& before = *trained_models(step, training, 1)[0];
  training.updates = static_cast<int>(step.whole("geometry_updates"));
  const TrainedModel& after = *trained_models(step, training, 1)[0];
  step.formula("asked: the largest number; its loss: -ln p(answer), as in lesson 17");
  step.formula("added: + lambda * one of these, lambda is how much it counts");
  step.formula("attention   -ln w of the answer     w: what weight [CLS] gives it");
  step.formula("pairs       mean over i < j of L_ij = ln(1 + e^-(z_j - z_i)), z: score");
  step.formula("geometry    mean cos(q, k) of the nouns - that of the numbers");
  const ByHand first = by_hand(before), last = by_hand(after);
  step.predict(
      "Trained on answers alone: what became of the losses that nobody asked for?",
      {"they stayed as they were", "all three fell", "some fell, some rose"},
      last.attention < first.attention && last.pairs < first.pairs && last.geometry < first.geometry
          ? 1
          : 2);
  step.table(fmt::format("model 0, trained on answers alone, {} updates", training.updates),
             {"attention", "pairs", "geometry", "right"})
      .digits(3)
      .row("as it begins", {first.attention, first.pairs, first.geometry, before.score.accuracy},
           "right: of 1000 texts")
      .row("trained", {last.attention, last.pairs, last.geometry, after.score.accuracy},
           "the losses are not part of it");
  record_reading(step, "one text, in any order: w before and after; n: a noun",
                 {"begins", "trained"}, {before.heads[0], after.heads[0]});
  record_pairs(step, after);
  const auto cosines = [](const TrainedModel& model, std::int64_t from) {
    return slice(model.alignment.match.cosines, 0, from, from + kNumbers).to_vector();
  };
  step.picture(course::Curves("cos(q, k) of each token", "worth of the number, place of the noun"))
      .series("numbers begin", cosines(before, 1))
      .series("numbers trained", cosines(after, 1))
      .series("nouns trained", cosines(after, 1 + kNumbers));
  // Of N(0, 0.3^2) embeddings, q and k have components of that size, and z of 0.3^2.
  constexpr double kSpread = 4 * 0.3 * 0.3;
  step.check("it begins with even weights, 1/9 each",
             std::abs(first.attention - std::log(9)) < kSpread,
             fmt::format("-ln w {:.3f}; ln 9 = {:.3f} +-{:.2f}, 4 times the spread of z",
                         first.attention, std::log(9), kSpread));
  // Sums of float32 that are a few units large.
  constexpr double kRounding = 1e-5;
  const double pairs = added(step, ExtraLoss::kPairs);
  const double geometry = added(step, ExtraLoss::kGeometry);
  step.check(
      "a training's first loss is higher by it",
      std::abs(pairs - first.pairs) < kRounding && std::abs(geometry - first.geometry) < kRounding,
      fmt::format("pairs {:+.5f}, geometry {:+.5f}; by hand {:.5f}, {:.5f}", pairs, geometry,
                  first.pairs, first.geometry));
  step.why(
      "Answers alone lower all three on the way. To ask for one by name is a short cut: the next "
      "steps measure what it saves, and what it spoils.");
  step.try_next({"./gradwalk run 21 --step", "./gradwalk run 21 --predict"});
}

}  // namespace gradwalk::lesson_21
