#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// term(0) + ... + term(n - 1) in float64, in eight interleaved lanes that are added up in pairs:
/// an order which a compiler can keep in vector registers, and the same one on every run. No
/// summand takes part in more than n / 8 + 4 roundings.
template <class Term>
double lane_sum(std::int64_t n, Term term) {
  constexpr std::int64_t kLanes = 8;
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  }
  for (std::int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] += term(i);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace gradwalk::kernels
