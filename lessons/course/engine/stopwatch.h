#pragma once

#include <functional>

namespace gradwalk::course {

/// Of one piece of work that was run several times, in seconds.
struct Times {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// Runs the work once to warm up, then `runs` times with the clock on.
/// @param runs  odd, at least 1, so that the median is one of them
/// @throws std::invalid_argument otherwise
Times time_runs(int runs, const std::function<void()>& work);

}  // namespace gradwalk::course
