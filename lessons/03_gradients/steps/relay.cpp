#include <fmt/format.h>

#include <string>
#include <utility>

#include "autograd/backward.h"
#include "autograd/trace.h"
#include "lessons/03_gradients/head.h"
#include "lessons/03_gradients/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"

namespace gradwalk::lesson_03 {
namespace {

using course::Step;

}  // namespace

void relay(Step& step) {
  const Head head = head_of(step, 0);
  BackwardObserver observer;
  HeadGraph g;
  {
    const TraceScope scope(observer);
    g = forward(head);
    backward(g.loss);
  }
  for (const auto& [variable, name] : {std::pair{&g.q, "q"},
                                       {&g.k, "k"},
                                       {&g.k_t, "k^T"},
                                       {&g.products, "q k^T"},
                                       {&g.v, "v"},
                                       {&g.s, "s"},
                                       {&g.w, "w"},
                                       {&g.o, "o"},
                                       {&g.loss, "loss"}}) {
    observer.name(*variable, name);
  }
  step.formula("loss -> do -> dw, dv -> ds -> dq, dk -> dW_Q, dW_K, dW_V");
  step.formula("each op: gradient at its value in, gradients at all its inputs out");
  auto table = step.table("|gradient| as backward went", {"in", "out"});
  int at = 0;
  for (const BackwardOp& passed : observer.ops()) {
    table.digits(4).row(
        fmt::format("{:2}  {}{}", ++at, passed.op, passed.name.empty() ? "" : " -> " + passed.name),
        {passed.incoming, passed.outgoing}, passed.shape);
  }
  step.number("ops forward", observer.forward_ops());
  step.number("ops backward", static_cast<double>(observer.ops().size()),
              "each once, the last one first");
  record_forward(step, head, g);
  auto& bars = step.picture(course::Bars("norm of the gradient at each value", {"norm"}));
  for (const BackwardOp& passed : observer.ops()) {
    if (!passed.name.empty()) bars.group(passed.name, {passed.incoming});
  }
  const bool all = static_cast<int>(observer.ops().size()) == observer.forward_ops();
  step.check("backward visits every op once",
             all && observer.ops().front().op == std::string("mse"));
  step.check("the gradient that reaches W_K is that of step 2",
             course::distance(g.w_k.grad(), gradient_by_formula(head)) < 1e-14,
             "against the formula, 32 numbers");
  step.why(
      "No op knows the whole. Each takes the gradient at its result and hands on one to each "
      "input, as a relay hands on its baton.");
  step.try_next({"./gradwalk run 3 --from=3 --seed=2"});
}

}  // namespace gradwalk::lesson_03
