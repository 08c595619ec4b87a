#include <fmt/format.h>

#include <cmath>

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

void loss(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  step.formula("output = sum_i a_i v_i      a[3] v[3,4] -> output[4]");
  step.formula("logits = C output      p = softmax(logits)      C[2,4] -> logits[2] p[2]");
  step.formula("loss = -ln p[0]      class 0 is right");
  step.table("", kComponents).digits(4).row("output", s.output, "the blend of the three values");
  step.table("", {"class 0", "class 1"}).digits(4).row("logits", s.logits).row("p", s.p);
  step.number("loss", s.loss, fmt::format("nats; guessing costs ln 2 = {:.4f}", std::log(2.0)), 4);
  record_loss(step, walk);
  step.check("p sums to 1", std::abs(sum(s.p).item() - 1) < 1e-15);
  step.why("In the blend num1 and num2 all but cancel, so the classifier can only guess.");
  step.try_next({"./gradwalk run 4 --break=swap-values"});
}

}  // namespace gradwalk::lesson_04
