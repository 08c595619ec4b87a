#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/03_gradients/head.h"
#include "lessons/03_gradients/steps/steps.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_03 {
namespace {

using course::Step;

}  // namespace

void one_knob(Step& step) {
  const Head head = head_of(step, 0);
  const HeadGraph g = forward(head);
  constexpr std::int64_t row = 1, column = 2, a = 3, b = 5;
  const double slope = g.q.value().at({a, row}) * head.x.at({b, column}) / 2;
  const double loss_slope = gradient_by_autograd(head).at({row, column});
  const double start = loss_of(head);
  step.formula(
      "s_ab = q_a.(W_K x_b) / sqrt(4)      token a asks token b      x[6,8] W_K[4,8] s[6,6]");
  step.formula("ds_ab/dW_K[i,j] = q_a[i] x_b[j] / sqrt(4)");
  step.formula("loss = mean of (o - target)^2      o[6,4], what the head says   f64");
  std::vector<double> turns, losses, tangent, scores;
  double bent = 0;
  for (int at = -8; at <= 8; ++at) {
    const double turn = at / 4.0;
    const Head now = turned(head, row, column, turn);
    turns.push_back(turn);
    losses.push_back(loss_of(now));
    tangent.push_back(start + loss_slope * turn);
    scores.push_back(scores_of(now).at({a, b}));
    bent = std::max(bent, std::abs(scores.back() - (g.s.value().at({a, b}) + slope * turn)));
  }
  const bool falls_up = loss_slope < 0;
  step.predict("The loss has slope " + fmt::format("{:+.4f}", loss_slope) +
                   " here. Which way must the knob turn for it to fall?",
               {"up", "down"}, falls_up ? 0 : 1);
  step.table("W_K[1,2] turned by", {"-0.5", "-0.25", "0", "0.25", "0.5"})
      .digits(5)
      .row("score s[3,5]", {scores[6], scores[7], scores[8], scores[9], scores[10]},
           fmt::format("a line: {:+.4f} a turn of 1", slope))
      .row("loss", {losses[6], losses[7], losses[8], losses[9], losses[10]},
           fmt::format("a curve: {:+.4f} at 0", loss_slope));
  step.number("score, off the line", bent, "turns from -2 to 2");
  step.picture(course::Curves("loss against the turn of one knob", "turn of W_K[1,2]"))
      .series("loss", turns, losses)
      .series("tangent at 0", turns, tangent);
  record_forward(step, head, g);
  step.check("the score is linear in the knob", bent < 1e-14,
             "slope from q and x alone, 17 turns, float64");
  step.check("a small turn against the slope lowers the loss",
             loss_of(turned(head, row, column, falls_up ? 1e-3 : -1e-3)) < start, "turn of 0.001");
  step.why(
      "A knob moves scores along straight lines; softmax and loss bend them. The slope at 0 is "
      "all that a gradient knows.");
  step.try_next({"./gradwalk run 3 --predict", "./gradwalk run 3 --seed=2"});
}

}  // namespace gradwalk::lesson_03
