#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/toy4d.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"

namespace gradwalk::lesson_04 {
namespace {

using course::Step;
using tasks::ToyState;

std::vector<double> along(const std::vector<ToyState>& walk, double (*number)(const ToyState&)) {
  std::vector<double> values;
  for (const ToyState& state : walk) values.push_back(number(state));
  return values;
}

}  // namespace

void fifty_steps(Step& step, Walk& walk) {
  const double lr = step.parameter("lr");
  const int steps = static_cast<int>(step.parameter("steps"));
  const auto summary = [](const ToyState& s) -> std::vector<double> {
    return {s.loss,
            s.a.at({1}),
            s.a.at({2}),
            s.cos_q_k.at({1}),
            s.cos_q_k.at({2}),
            nn::length(s.q).item()};
  };
  step.formula(
      fmt::format("W <- W - {} dL/dW, {} times, for the weights that may move", lr, steps));
  auto table = step.table(fmt::format("after {} steps", steps),
                          {"loss", "a num1", "a num2", "cos num1", "cos num2", "|q|"});
  table.digits(3).row("start", summary(walk.now));
  auto& cosines = step.picture(course::Curves("cos(q, k_i), only W_Q moving", "step"));
  auto& attention = step.picture(course::Curves("attention on num1", "step"));
  auto& losses = step.picture(course::Curves("loss in nats", "step"));
  const std::vector<std::pair<std::string, tasks::Trained>> choices = {
      {"only W_Q", kQueryOnly},
      {"only W_K", {.w_k = true}},
      {"W_Q and W_K", {.w_q = true, .w_k = true}},
      {"all weights", kAllWeights}};
  bool falls = true;
  for (const auto& [name, trained] : choices) {
    const std::vector<ToyState> states = toy_walk(walk.toy, trained, lr, steps);
    table.row(name, summary(states.back()));
    attention.series(name, along(states, [](const ToyState& s) { return s.a.at({1}); }));
    losses.series(name, along(states, [](const ToyState& s) { return s.loss; }));
    for (std::size_t t = 1; t < states.size(); ++t)
      falls = falls && states[t].loss < states[t - 1].loss;
    if (name != "only W_Q") continue;
    cosines.series(kTokens[0], along(states, [](const ToyState& s) { return s.cos_q_k.at({0}); }));
    cosines.series(kTokens[1], along(states, [](const ToyState& s) { return s.cos_q_k.at({1}); }));
    cosines.series(kTokens[2], along(states, [](const ToyState& s) { return s.cos_q_k.at({2}); }));
  }
  step.check("the loss falls at every step of every walk", falls);
  step.why(
      "q comes to k_num1, or k_num1 to q: either side alone will do. Once values move too, "
      "attention need not go as far.");
  step.try_next({"./gradwalk run 4 --set=steps=200", "./gradwalk run 4 --set=lr=2"});
}

}  // namespace gradwalk::lesson_04
