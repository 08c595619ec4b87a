#include <fmt/format.h>

#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/elementwise.h"

namespace gradwalk::lesson_04 {
namespace {

using course::Step;
using tasks::ToyState;

}  // namespace

void output_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  step.formula("dlogits = p - onehot(0)      g = dL/doutput = C^T dlogits      g[4]");
  step.formula("dv_i = a_i g      dC = dlogits output^T      dv[3,4] dC[2,4]");
  step.table("", kComponents).digits(4).row("g", s.doutput, "uphill: the loss grows along g");
  step.table("", kTokens)
      .digits(4)
      .row("g.v_i", s.g_dot_v, "the loss that value i adds")
      .row("g.output - g.v_i", s.g_dot_output - s.g_dot_v,
           fmt::format("better than the blend, {:.4f}", s.g_dot_output));
  record_output_gradient(step, walk);
  check_three_ways(step, walk, {"logits", "output", "v", "C"});
  step.why(
      "g is all that attention hears of the task: one direction. num1's value lies against it, so "
      "it helps; num2's lies along it.");
  step.try_next({"./gradwalk run 4 --claim=A4"});
}

}  // namespace gradwalk::lesson_04
