#include <fmt/format.h>

#include <vector>

#include "lessons/18_both_sides/balance.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void kept_in_balance(Step& step) {
  const bool keys_held = step.broken("keys-held");
  const std::vector<BalanceWalk> walks = three_rates(keys_held);
  const tasks::ToyState start = tasks::toy_state(tasks::toy_base());
  const Tensor query_side = matmul(start.toy.w_q, transpose(start.dw_q));
  const Tensor key_side = matmul(start.dw_k, transpose(start.toy.w_k));
  step.formula("of any loss of z = q.k:  W_Q (dL/dW_Q)^T = (dL/dW_K) W_K^T  [4,4]");
  step.formula("B = W_Q W_Q^T - W_K W_K^T");
  step.formula("one update: B changes by lr^2 (dL/dW_Q dL/dW_Q^T - the same of W_K)");
  step.formula("5 / lr updates: by about 5 lr of it; lr to 0: not at all");
  step.formula("drift: largest |entry| of how much B has changed");
  const std::vector<double> ratios = drift_ratios(walks);
  step.predict("A tenth of the learning rate, ten times as many updates. The drift gets",
               {"no smaller", "10 times smaller", "100 times smaller"},
               ratios[0] < 3    ? 0
               : ratios[0] < 30 ? 1
                                : 2);
  auto table = step.table("W_Q and W_K of the toy move until lr times updates is 5",
                          {"updates", "drift", "W_Q W_Q^T", "W_K W_K^T"});
  for (const BalanceWalk& walk : walks) {
    table.digits({0, 6, 3, 3})
        .row(fmt::format("lr {}", walk.lr),
             {static_cast<double>(walk.drift.size() - 1), walk.drift.back(),
              walk.query_changed.back(), walk.key_changed.back()},
             &walk == &walks[0] ? "last two: their largest change" : "");
  }
  const BalanceWalk& middle = walks[1];
  step.picture(
          course::Curves(fmt::format("largest change since the start, lr {}", middle.lr), "update"))
      .series("W_Q W_Q^T", middle.query_changed)
      .series("W_K W_K^T", middle.key_changed)
      .series("B", middle.drift);
  const auto record = [&](const char* name, const Tensor& w) {
    step.tensor(name, w).axes("out", "in").explain(Explain::given("the toy as it begins"));
  };
  record("W_Q", start.toy.w_q);
  record("W_K", start.toy.w_k);
  const auto gradient = [&](const char* name, const Tensor& w) {
    step.gradient(name, w).axes("out", "in").explain(Explain::given("by backpropagation"));
  };
  gradient("W_Q", start.dw_q);
  gradient("W_K", start.dw_k);
  step.tensor("by_query", query_side)
      .axes("out", "out")
      .explain(Explain::contraction("ij,kj->ik", {"W_Q", "dW_Q"}));
  step.tensor("by_key", key_side)
      .axes("out", "out")
      .explain(Explain::contraction("ij,kj->ik", {"dW_K", "W_K"}));
  step.picture(
      course::Heatmap("W_Q (dL/dW_Q)^T, and (dL/dW_K) W_K^T: one matrix", {"by_query", "by_key"}));
  const double off = course::distance(query_side, key_side);
  step.check("both sides' products are one matrix", off < 1e-14 * (1 + course::largest(query_side)),
             fmt::format("off by {:.0e}", off));
  step.check(
      "drift per tenth of lr: 8 to 13 times smaller", drift_follows_rate(walks),
      fmt::format("{:.1f} and {:.1f}; 10 for drift proportional to lr", ratios[0], ratios[1]));
  step.why(
      "What lengthens W_Q lengthens W_K as much: under plain descent with small steps one side "
      "cannot grow without the other.");
  step.try_next({"./gradwalk run 18 --from=2 --break=keys-held", "./gradwalk run 18 --predict"});
}

}  // namespace gradwalk::lesson_18
