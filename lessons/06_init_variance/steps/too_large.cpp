#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/06_init_variance/initialization.h"
#include "lessons/06_init_variance/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_06 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// What counts as almost none of the gradient that the usual start has, and as slower.
constexpr double kLittle = 0.2, kSlower = 1.5;

void record_page(Step& step, const std::vector<Initialization>& starts) {
  const PageAttention attention = page_attention(step, starts);
  std::vector<std::string> names;
  for (const Initialization& start : starts) names.push_back(fmt::format("G {}", start.factor));
  const auto record = [&](course::TensorEntry entry, Explain explain) {
    entry.axes("factor", "card").rows(names).columns(attention.cards).explain(std::move(explain));
  };
  record(step.tensor("S", attention.scores), Explain::given("scores of one question"));
  record(step.tensor("W", attention.weights), Explain::softmax("S"));
  record(step.tensor("U", attention.weight_gradient),
         Explain::given("dL/dw_j = g.v_j, by backpropagation"));
  record(step.gradient("S", attention.score_gradient),
         Explain::sum({Explain::contraction("fj,fj->fj", {"W", "U"}),
                       Explain::contraction("fj,fi,fi->fj", {"W", "W", "U"}, -1)}));
  step.picture(
      course::Heatmap("one question: weights, and the gradient at its scores", {"W", "dS"}));
  const Tensor pulled = attention.weights * attention.weight_gradient;
  const Tensor by_formula = pulled - attention.weights * sum(pulled, {-1}, /*keepdims=*/true);
  const double off = course::distance(by_formula, attention.score_gradient);
  step.check("dL/ds by the formula and by backpropagation", off < 1e-6,
             fmt::format("27 numbers, at most {:.0e} apart", off));
}

}  // namespace

void too_large(Step& step) {
  const std::int64_t models = step.whole("models");
  const bool divided = step.broken("divide-back");
  const TrainingPlan recipe{.updates = static_cast<int>(step.whole("updates"))};
  const auto start = [&](double factor) {
    return Initialization{.factor = factor, .divided = divided && factor > 1};
  };
  step.formula("dL/ds_j = w_j (u_j - sum_i w_i u_i)   u_j = dL/dw_j   L: page's loss");
  step.formula("one-hot, w_1 = 1: dL/ds_1 = u_1 - u_1 = 0; the others have w_j = 0");
  step.formula("dL/dW_Q = sum_j dL/ds_j k_j x^T / sqrt(32)      k_j carries G");
  step.formula("|..|: root of the sum of squares      |dL/ds|: mean over pages");
  step.formula("rms: root of its mean square      dead: pages with |dL/ds| < 0.003");
  auto table =
      step.table("before training", {"max w", "|dL/ds|", "rms", "dead", "|dL/dW_Q|", "/|W_Q|"});
  const std::vector<double> factors = {0.1, 0.3, 1, 3, 10, 30};
  std::vector<InitialMeasures> begun;
  std::vector<double> x, at_scores, at_query, relative;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const InitialMeasures b = initial_measures(step, start(factors[i]), models);
    begun.push_back(b);
    table.digits({3, 4, 4, 2, 4, 5})
        .row(fmt::format("G {}", factors[i]), {b.max_weight, b.score_gradient, b.score_gradient_rms,
                                               b.dead, b.query_gradient, b.query_relative});
    x.push_back(std::log10(factors[i]));
    at_scores.push_back(std::log10(b.score_gradient));
    at_query.push_back(std::log10(b.query_gradient));
    relative.push_back(std::log10(b.query_relative));
  }
  const InitialMeasures &usual = begun[2], &large = begun[4];
  step.number("rms at G 10, of that at G 1", large.score_gradient_rms / usual.score_gradient_rms,
              "a few undecided pages hold most of it", 2);
  const double left = large.score_gradient / usual.score_gradient;
  const double query_left = large.query_gradient / usual.query_gradient;
  const double relative_left = large.query_relative / usual.query_relative;
  step.predict("G = 10: |dL/ds| falls to a small part of its size. What does |dL/dW_Q| do?",
               {"falls much less, or grows", "falls as far"}, query_left < 2 * left ? 1 : 0);
  auto trained =
      step.table(fmt::format("Adam: median of updates to 0.7 nats (at most {}), right answers",
                             recipe.updates),
                 {"updates", "right"});
  const auto of_1 = training_results(step, start(1), recipe, models);
  const auto of_3 = training_results(step, start(3), recipe, models);
  const auto of_30 = training_results(step, start(30), recipe, models);
  const auto row = [&](double factor, const std::vector<const TrainingResult*>& found) {
    std::vector<double> right;
    for (const TrainingResult* one : found) right.push_back(one->accuracy);
    trained.digits({0, 3}).row(fmt::format("G {}", factor),
                               {median_updates(found), course::spread_of(right).mean},
                               fmt::format("models: {}", updates_text(found)));
    return course::spread_of(right).highest;
  };
  row(1, of_1);
  row(3, of_3);
  if (!step.quick()) row(10, training_results(step, start(10), recipe, models));
  const double right_30 = row(30, of_30);
  step.number("right by guessing", 1.0 / 16, "one of 16 values", 3);
  const course::Spread slower = times_as_many(of_3, of_1);
  step.picture(course::Curves("log10 of what the table says", "log10 G"))
      .series("|dL/ds|", x, at_scores)
      .series("|dL/dW_Q|", x, at_query)
      .series("|dL/dW_Q| / |W_Q|", x, relative);
  record_page(step, {start(1), start(3), start(10)});
  const bool stops =
      large.max_weight > 0.95 && left < kLittle && slower.lowest > kSlower && right_30 < 0.5;
  step.claim("B10", Evidence::kTensor, /*cases=*/models * (2 * 256 + 3))
      .seeds(static_cast<int>(models))
      .as_stated(stops)
      .right(stops && query_left > kLittle && relative_left < kLittle)
      .value(left)
      .expected(
          "G 10: max w > 0.95; of G 1: |dL/ds| < 0.2, |dW_Q| > 0.2, /|W_Q| < 0.2; G 3: > 1.5 x")
      .tolerance("bounds of the rule; G 3 in every model; there G 30: answers right < 0.5")
      .found(fmt::format("max w {:.3f}; of G 1: |dL/ds| {:.3f}, |dW_Q| {:.2f}, /|W_Q| {:.3f}; "
                         "G 3 {:.1f} x slower",
                         large.max_weight, left, query_left, relative_left, slower.mean));
  step.why(
      "One-hot rows let no gradient reach the scores. What a few undecided pages let through, long "
      "keys make large, but longer weights turn less by it.");
  step.try_next({"./gradwalk run 6 --claim=B10 --break=divide-back",
                 "./gradwalk run 6 --claim=B10 --predict"});
}

}  // namespace gradwalk::lesson_06
