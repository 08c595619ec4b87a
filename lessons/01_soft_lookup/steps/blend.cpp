#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void blend(Step& step) {
  const double tau = step.parameter("tau");
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor w = softmax(s / tau, /*axis=*/-1);
  const Tensor answer = matmul(w, c.values);
  step.formula("s_j = q.k_j      K[4,2] q[2] -> s[4]   f64");
  step.formula(fmt::format("w_j = exp(s_j / tau) / sum_i exp(s_i / tau)      tau = {}", tau));
  step.formula("answer = sum_j w_j v_j      w[4] V[4,2] -> answer[2]");
  step.table("q = [0.1, 1.6] asks for hardly an animal, very much a vehicle", c.names)
      .digits(3)
      .row("key: animal", select(c.keys, 1, 0))
      .row("key: vehicle", select(c.keys, 1, 1))
      .row("score s", s, "how well the key fits the query")
      .row("weight w", w, "share in the answer")
      .row("value: legs", select(c.values, 1, 0))
      .row("value: wheels", select(c.values, 1, 1));
  step.number("answer, legs", answer.at({0}), "a blend: no card says so", 3);
  step.number("answer, wheels", answer.at({1}), "between car and bus", 3);
  auto& bars = step.picture(course::Bars("share of each card", {"weight"}));
  for (std::int64_t card = 0; card < 4; ++card) {
    bars.group(c.names[std::size_t(card)], {w.at({card})});
  }
  record_cards(step, c);
  step.tensor("s/tau", s / tau)
      .axes("card")
      .rows(c.names)
      .explain(Explain::contraction("c->c", {"s"}, 1 / tau));
  step.tensor("w", w).axes("card").rows(c.names).explain(Explain::softmax("s/tau"));
  step.tensor("answer", answer).axes("count").explain(Explain::contraction("c,ci->i", {"w", "V"}));
  const bool inside =
      answer.at({0}) >= 0 && answer.at({0}) <= 4 && answer.at({1}) >= 0 && answer.at({1}) <= 6;
  step.check("the weights sum to 1", std::abs(sum(w).item() - 1) < 1e-15);
  step.check("the answer lies between the smallest and the largest value", inside);
  step.why(
      "Nothing is picked out: each card gives a share, large where its key fits. A key that fits a "
      "bit better gives a bit more, so fitting can be learned.");
  step.try_next({"./gradwalk run 1 --set=tau=0.1", "./gradwalk run 1 --set=tau=10"});
}

}  // namespace gradwalk::lesson_01
