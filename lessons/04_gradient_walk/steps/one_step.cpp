#include <fmt/format.h>

#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_04 {
namespace {

using course::Step;
using tasks::ToyState;

}  // namespace

void one_step(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const double lr = step.parameter("lr");
  const ToyState after = toy_walk(walk.toy, kQueryOnly, lr, /*steps=*/1).back();
  step.formula("W_Q' = W_Q - lr dW_Q      so   q' = q - lr |h_CLS|^2 dq");
  step.formula("z_i' - z_i = -lr |h_CLS|^2 dq.k_i / sqrt(4)");
  step.table("", kComponents)
      .digits(4)
      .row("q", s.q)
      .row("q'", after.q, fmt::format("one step of W_Q alone, lr {}", lr));
  step.table("", kTokens)
      .digits(4)
      .row("-dz_i", neg(s.dz), "pull: + draws q")
      .row("cos(-dq, k_i)", s.cos_minus_dq_k, "the way down")
      .row("cos(q, k_i)", s.cos_q_k)
      .row("cos(q', k_i)", after.cos_q_k)
      .row("a_i", s.a)
      .row("a_i'", after.a, fmt::format("loss {:.4f} -> {:.4f}", s.loss, after.loss));
  record_update(step, walk, after, lr);
  step.check("the loss falls", after.loss < s.loss,
             fmt::format("by {:.4f}; lr |dW_Q|^2 = {:.4f}", s.loss - after.loss,
                         lr * sum(s.dw_q * s.dw_q).item()));
  step.why(
      "A key draws q when its value beats the blend, by a_i (g.output - g.v_i), whatever its token "
      "is called.");
  step.try_next({"./gradwalk run 4 --set=lr=0.05"});
}

}  // namespace gradwalk::lesson_04
