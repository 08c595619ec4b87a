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

}  // namespace gradwalk::kernels
