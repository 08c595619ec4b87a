#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "autograd/backward.h"
#include "lessons/03_gradients/head.h"
#include "lessons/03_gradients/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_03 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kDifferenceStep = 1e-5;

}  // namespace

void all_knobs(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const double turn = step.parameter("turn");
  const bool other = step.broken("other-tokens");
  double by_formula = 0, by_difference = 0;
  std::int64_t total = 0;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const Head head = head_of(step, seed);
    Head asked = head;
    if (other) asked.x = head_of(step, seed + seeds).x;
    const Tensor gradient = gradient_by_autograd(asked);
    by_formula =
        std::max(by_formula, course::relative_distance(gradient_by_formula(head), gradient));
    by_difference = std::max(
        by_difference,
        course::relative_distance(gradient_by_difference(head, kDifferenceStep), gradient));
    total += downhill(head, gradient, turn);
  }
  const Head head = head_of(step, 0);
  const HeadGraph g = forward(head);
  backward(g.loss);
  const Tensor difference = gradient_by_difference(head, kDifferenceStep);
  const Tensor formula = gradient_by_formula(head);
  step.formula("dX is short for d loss / d X: how the loss goes when X does");
  step.formula("formula: ds_ab = w_ab (do_a.v_b - do_a.o_a)");
  step.formula("         dW_K[i,j] = sum_ab ds_ab q_a[i] x_b[j] / sqrt(4)");
  step.formula("quotient: (loss(W_K[i,j] + h) - loss(W_K[i,j] - h)) / 2h,   h = 1e-5");
  step.table("row 1 of dL/dW_K", {"0", "1", "2", "3", "4", "5", "6", "7"})
      .digits(4)
      .row("formula", select(formula, 0, 1))
      .row("quotient", select(difference, 0, 1))
      .row("backprop", select(g.w_k.grad(), 0, 1));
  step.number("formula, off backprop", by_formula, fmt::format("of the largest; {} seeds", seeds));
  step.number("quotient, off backprop", by_difference, "likewise");
  step.number("knobs that go downhill", static_cast<double>(total),
              fmt::format("of {}, each turned by {} against its gradient", 32 * seeds, turn));
  const auto gradient = [&](const char* of, const Tensor& dx, Explain how) {
    step.gradient(of, dx).axes("row", "column").explain(std::move(how));
  };
  step.tensor("o", g.o.value())
      .axes("token", "component")
      .explain(product("ab,bc->ac", {"w", "v"}));
  gradient(
      "o", g.o.grad(),
      Explain::sum({product("ac->ac", {"o"}, 1.0 / 12), product("ac->ac", {"target"}, -1.0 / 12)}));
  gradient("w", g.w.grad(), product("ac,bc->ab", {"do", "v"}));
  gradient("s", g.s.grad(),
           Explain::custom([](const course::Index& at, const course::Operands& of) {
             double mean = 0;
             for (std::int64_t b = 0; b < 6; ++b)
               mean += of("w", {at[0], b}) * of("dw", {at[0], b});
             course::Explanation e;
             const double own = of("dw", at);
             e.value = of("w", at) * (own - mean);
             e.formula =
                 fmt::format("w[{0},{1}] (dw[{0},{1}] - sum_b w[{0},b] dw[{0},b])", at[0], at[1]);
             e.lines = {fmt::format("{:.4f} * ({:.4f} - {:.4f})", of("w", at), own, mean)};
             e.magnitude = std::abs(own) + std::abs(mean);
             return e;
           }));
  gradient("k", g.k.grad(), product("ab,ac->bc", {"ds", "q"}, 0.5));
  step.gradient("W_K", g.w_k.grad())
      .axes("out", "in")
      .explain(product("bi,bj->ij", {"dk", "x"}))
      .badge({.compared = 32,
              .total = 32,
              .step = kDifferenceStep,
              .worst = course::relative_distance(difference, g.w_k.grad()),
              .bound = 1e-8});
  step.picture(course::Heatmap("dW_K: + turn the knob down, - turn it up", {"dW_K"}));
  const bool all_downhill = total == 32 * seeds;
  step.claim("B9", Evidence::kTensor, /*cases=*/32 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(all_downhill)
      .right(all_downhill && by_difference < 1e-6 && by_formula < 1e-12)
      .value(by_difference)
      .expected("all knobs downhill; quotient within 1e-6")
      .tolerance("1e-6: a central difference with step 1e-5 in float64; formula 1e-12")
      .found(
          fmt::format("{} of {} downhill, quotient off {:.0e}", total, 32 * seeds, by_difference));
  step.why(
      "The quotient needs two runs of the model for each knob; backprop gets all knobs from "
      "one run, with the same numbers.");
  step.try_next({"./gradwalk run 3 --claim=B9 --sweep=turn=0.001:1:x10",
                 "./gradwalk run 3 --claim=B9 --break=other-tokens"});
}

}  // namespace gradwalk::lesson_03
