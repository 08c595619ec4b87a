#pragma once

#include <vector>

#include "lessons/tasks/toy4d.h"

/// What W_Q and W_K of the 4-d toy keep in common while both learn.
namespace gradwalk::lesson_18 {

/// w w^T.
Tensor square(const Tensor& w);

/// A walk of plain gradient descent. Each entry is the largest |entry| of what has changed since
/// the start, [0] the start itself.
struct BalanceWalk {
  double lr;
  std::vector<double> query_changed;  ///< of W_Q W_Q^T [4, 4]
  std::vector<double> key_changed;    ///< of W_K W_K^T
  std::vector<double> drift;          ///< of W_Q W_Q^T - W_K W_K^T: 0 for steps without end
};

/// lr times steps is `time`, whatever the rate. @param trained  what moves
BalanceWalk balance_walk(const tasks::Toy& toy, tasks::Trained trained, double lr, double time);

/// Walks of rates 0.5, 0.05 and 0.005 over a time of 5. @param keys_held  only W_Q moves
std::vector<BalanceWalk> three_rates(bool keys_held);

/// How many times smaller the last drift gets with each tenth of the rate.
std::vector<double> drift_ratios(const std::vector<BalanceWalk>& walks);

/// All of them within [8, 13], the rule's bounds: 10 if drift is proportional to the rate.
bool drift_follows_rate(const std::vector<BalanceWalk>& walks);

}  // namespace gradwalk::lesson_18
