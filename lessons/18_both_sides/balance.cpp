#include "lessons/18_both_sides/balance.h"

#include <algorithm>
#include <cmath>

#include "lessons/course/engine/measure.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_18 {
namespace {}  // namespace

Tensor square(const Tensor& w) { return matmul(w, transpose(w)); }

BalanceWalk balance_walk(const tasks::Toy& toy, tasks::Trained trained, double lr, double time) {
  BalanceWalk walk{.lr = lr, .query_changed = {}, .key_changed = {}, .drift = {}};
  const Tensor query = square(toy.w_q), key = square(toy.w_k);
  const auto steps = static_cast<int>(std::lround(time / lr));
  for (const tasks::ToyState& state : tasks::toy_walk(toy, trained, lr, steps)) {
    const Tensor q = square(state.toy.w_q) - query, k = square(state.toy.w_k) - key;
    walk.query_changed.push_back(course::largest(q));
    walk.key_changed.push_back(course::largest(k));
    walk.drift.push_back(course::distance(q, k));
  }
  return walk;
}

std::vector<BalanceWalk> three_rates(bool keys_held) {
  std::vector<BalanceWalk> walks;
  for (const double lr : {0.5, 0.05, 0.005}) {
    walks.push_back(
        balance_walk(tasks::toy_base(), {.w_q = true, .w_k = !keys_held}, lr, /*time=*/5));
  }
  return walks;
}

std::vector<double> drift_ratios(const std::vector<BalanceWalk>& walks) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i + 1 < walks.size(); ++i) {
    ratios.push_back(walks[i].drift.back() / walks[i + 1].drift.back());
  }
  return ratios;
}

bool drift_follows_rate(const std::vector<BalanceWalk>& walks) {
  const std::vector<double> ratios = drift_ratios(walks);
  return std::all_of(ratios.begin(), ratios.end(),
                     [](double ratio) { return ratio >= 8 && ratio <= 13; });
}

}  // namespace gradwalk::lesson_18
