#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/plane.h"
#include "lessons/tasks/toy4d.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::lesson_04 {
namespace {

using course::Evidence;
using course::Step;
using tasks::ToyState;

// Does every score move against its own combination of gradients: sign(z_i' - z_i) = -sign(dq.k_i)?
bool scores_follow_pull(const ToyState& before, const ToyState& after) {
  const Tensor moved = (after.z - before.z) * matmul(before.k, before.dq);
  return max(moved).item() < 0;
}

}  // namespace

void variants(Step& step, Walk& walk) {
  const double lr = step.parameter("lr");
  const int steps = static_cast<int>(step.parameter("steps"));
  const std::vector<ToyState> base = toy_walk(walk.toy, kQueryOnly, lr, steps);
  const std::vector<ToyState> b = toy_walk(tasks::toy_variant_b(), kQueryOnly, lr, steps);
  const std::vector<ToyState> c = toy_walk(tasks::toy_variant_c(), kQueryOnly, lr, steps);
  const ToyState c_all = toy_walk(tasks::toy_variant_c(), kAllWeights, lr, steps).back();
  const auto cosine = [](const ToyState& s, std::int64_t token) { return s.cos_q_k.at({token}); };
  const auto turn = [&](const std::vector<ToyState>& states, std::int64_t token) {
    return cosine(states[1], token) - cosine(states[0], token);
  };
  step.formula("-dq = sum_i a_i (g.output - g.v_i) k_i / sqrt(4)");
  step.formula(
      "B: the value of [CLS] is worse than num2's      C: the classifier's sign is flipped");
  auto pulls = step.table("pull of each key at the start, -dz_i", kTokens);
  auto turns = step.table("cosine of q with the two keys, before and after one step",
                          {"num1", "then", "num2", "then"});
  auto& plane = step.picture(course::Plane("q in the plane of k_num1 and k_num2, only W_Q moving",
                                           "along k_num1", "across it"));
  const Tensor k_num1 =
      select(walk.now.k, 0, 1);  // the same in all three: B and C leave q and k alone
  const Tensor k_num2 = select(walk.now.k, 0, 2);
  const Plane place(k_num1, k_num2);
  plane.arrow("k_num1", place(k_num1).first, place(k_num1).second);
  plane.arrow("k_num2", place(k_num2).first, place(k_num2).second);
  for (const auto& [name, states] : {std::pair{"base", &base}, {"B", &b}, {"C", &c}}) {
    const ToyState& start = states->front();
    const ToyState& next = (*states)[1];
    pulls.digits(3).row(name, neg(start.dz));
    turns.digits(3).row(name,
                        {cosine(start, 1), cosine(next, 1), cosine(start, 2), cosine(next, 2)});
    std::vector<std::pair<double, double>> path;
    for (const ToyState& state : *states) path.push_back(place(state.q));
    plane.path(name, path);
  }
  step.number("B, num2's pull after one step", -b[1].dz.at({2}),
              "beside num1 alone it is the worse one", 3);
  step.number("C, weight of num2 at the end", c_all.a.at({2}),
              fmt::format("all weights moving, loss {:.4f}", c_all.loss), 3);
  // B and C by their scores: one step moves z_i by lr times a fixed number, so its sign holds for
  // any learning rate.
  const auto score_moves = [](const std::vector<ToyState>& states, std::int64_t token) {
    return states[1].z.at({token}) - states[0].z.at({token});
  };
  const bool base_as_said = turn(base, 1) > 0 && turn(base, 2) < 0;
  const bool b_draws_num2 = score_moves(b, 2) > 0 && b.back().dz.at({2}) > 0;
  const bool c_leaves_num1 =
      score_moves(c, 1) < 0 && c_all.a.at({2}) > c_all.a.at({1}) && c_all.loss < 0.1 * c[0].loss;
  const bool follow_pull = scores_follow_pull(base[0], base[1]) && scores_follow_pull(b[0], b[1]) &&
                           scores_follow_pull(c[0], c[1]);
  step.claim("A6", Evidence::kTensor, /*cases=*/9)
      .as_stated(base_as_said)
      .right(base_as_said && b_draws_num2 && c_leaves_num1 && follow_pull)
      .value(turn(base, 1))
      .expected("num1 up, num2 down")
      .tolerance("signs: exact")
      .found(fmt::format("num1 {:+.2f}, num2 {:+.2f}", turn(base, 1), turn(base, 2)));
  step.why(
      "Descent never saw a number token: it followed values that beat the blend. Change values or "
      "classifier, and q goes elsewhere.");
  step.try_next({"./gradwalk claims A6", "./gradwalk run 4 --break=swap-values"});
}

}  // namespace gradwalk::lesson_04
