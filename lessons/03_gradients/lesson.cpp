// Lesson 3: what a gradient is and how it gets back to a weight.
//
// Claims   B9: article 003, section 2.2; A7: article 000, section 2.2
// Builds   on lesson 2 (q, k, v) and lesson 1 (the four lines)
// Run      ./gradwalk run 3 --step
//
// One number of W_K is turned by hand, by difference quotient and by backpropagation. knobs.h has
// the small head that all steps work on, in float64; the last step, on the toy of lesson 4, stands
// in loss_step.cpp.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "lessons/03_gradients/knobs.h"
#include "lessons/03_gradients/steps.h"
#include "lessons/course/measure.h"
#include "tensor/layout.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kDifferenceStep = 1e-5;

Head head_of(Step& step, std::int64_t seed) {
  return random_head(step.generator(fmt::format("head {}", seed)));
}

Explain product(std::string spec, std::vector<std::string> operands, double scale = 1) {
  return Explain::contraction(std::move(spec), std::move(operands), scale);
}

void record_forward(Step& step, const Head& head, const HeadGraph& g) {
  step.tensor("x", head.x).axes("token", "component").explain(Explain::given("input: N(0, 1)"));
  const auto weight = [&](const char* name, const Tensor& w) {
    step.tensor(name, w).axes("out", "in").explain(Explain::given("a parameter: N(0, 1/8)"));
  };
  weight("W_Q", head.w_q);
  weight("W_K", head.w_k);
  weight("W_V", head.w_v);
  step.tensor("q", g.q.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_Q"}));
  step.tensor("k", g.k.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_K"}));
  step.tensor("v", g.v.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_V"}));
  step.tensor("s", g.s.value()).axes("query", "key").explain(product("ac,bc->ab", {"q", "k"}, 0.5));
  step.tensor("w", g.w.value()).axes("query", "key").explain(Explain::softmax("s"));
  step.tensor("o", g.o.value())
      .axes("token", "component")
      .explain(product("ab,bc->ac", {"w", "v"}));
  step.tensor("target", head.target)
      .axes("token", "component")
      .explain(Explain::given("what the head should say: N(0, 1)"));
}

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
  step.curves("loss against the turn of one knob", "turn of W_K[1,2]")
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
  step.heatmap("dW_K: + turn the knob down, - turn it up", {"dW_K"});
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

void relay(Step& step) {
  const Head head = head_of(step, 0);
  RelayObserver observer;
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
  for (const Relay& relay : observer.relays()) {
    table.digits(4).row(
        fmt::format("{:2}  {}{}", ++at, relay.op, relay.name.empty() ? "" : " -> " + relay.name),
        {relay.incoming, relay.outgoing}, relay.shape);
  }
  step.number("ops forward", observer.forward_ops());
  step.number("ops backward", static_cast<double>(observer.relays().size()),
              "each once, the last one first");
  record_forward(step, head, g);
  auto bars = step.bars("norm of the gradient at each value", {"norm"});
  for (const Relay& relay : observer.relays()) {
    if (!relay.name.empty()) bars.group(relay.name, {relay.incoming});
  }
  const bool all = static_cast<int>(observer.relays().size()) == observer.forward_ops();
  step.check("backward visits every op once",
             all && observer.relays().front().op == std::string("mse"));
  step.check("the gradient that reaches W_K is that of step 2",
             course::distance(g.w_k.grad(), gradient_by_formula(head)) < 1e-14,
             "against the formula, 32 numbers");
  step.why(
      "No op knows the whole. Each takes the gradient at its result and hands on one to each "
      "input, as a relay hands on its baton.");
  step.try_next({"./gradwalk run 3 --from=3 --seed=2"});
}

}  // namespace

course::Lesson lesson_03_gradients() {
  course::Lesson lesson(3, "gradients", "One knob, three ways to its gradient");
  lesson.seeds(/*full=*/5, /*quick=*/2, "random heads whose knobs are all turned");
  lesson.parameter({.name = "turn",
                    .value = 1e-3,
                    .min = 1e-6,
                    .max = 10,
                    .what = "how far each knob is turned, no unit"});
  lesson.parameter({.name = "directions",
                    .value = 1000,
                    .quick = 200,
                    .min = 1,
                    .max = 100000,
                    .whole = true,
                    .what = "random directions that are compared with the gradient"});
  lesson.sabotage("other-tokens", "the gradient is taken with other tokens in x");
  lesson.sabotage("wrong-label", "the gradient is that of the other class");

  lesson.steps_stand_alone();
  lesson.step("One knob of W_K, turned by hand", one_knob);
  lesson.step("All 32 knobs, three ways", all_knobs, {"B9"});
  lesson.step("The relay, op by op", relay);
  lesson.step("The gradient knows only the loss", only_the_loss, {"A7"});
  return lesson;
}

}  // namespace gradwalk::lessons
