#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "tensor/threads.h"

namespace gradwalk::kernels {

/// Work, in units of about a nanosecond, below which the start of a team costs more than it saves.
inline constexpr std::int64_t kTeamWork = 50'000;

/// Threads worth starting for `work`, as above: 1 inside another team and for small work.
inline int team_size(std::int64_t work) {
  if (work < kTeamWork) return 1;
  return omp_in_parallel() ? 1 : num_threads();
}

/// Calls f(first, last) for pieces that together are [0, count), one piece a thread, cut at
/// multiples of `grain`. Pieces must be independent outputs, and f must compute an item in the same
/// way whatever the piece it is in: so the bits do not depend on the number of threads. f must not
/// throw.
///
/// @param work  of all items together, in units of about a nanosecond
template <class F>
void parallel_for(std::int64_t count, std::int64_t work, std::int64_t grain, F&& f) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const auto team = static_cast<int>(std::min<std::int64_t>(team_size(work), grains));
  if (team <= 1) {
    if (count > 0) f(std::int64_t{0}, count);
    return;
  }
#pragma omp parallel num_threads(team)
  {
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t first = grains * thread / threads * grain;
    const std::int64_t last = std::min(count, grains * (thread + 1) / threads * grain);
    if (first < last) f(first, last);
  }
}

/// Calls f(item, thread) for the items 0, ..., count - 1, each with the next thread of `team` that
/// is free: for few items of unequal size. Items must be independent outputs; f must not throw.
///
/// @param team  threads to use, at least 1: what team_size says, so that the caller can make
///              working memory for each of them first
template <class F>
void for_each_item(std::int64_t count, int team, F&& f) {
  if (team <= 1) {
    for (std::int64_t item = 0; item < count; ++item) f(item, 0);
    return;
  }
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
  for (std::int64_t item = 0; item < count; ++item) f(item, omp_get_thread_num());
}

}  // namespace gradwalk::kernels
