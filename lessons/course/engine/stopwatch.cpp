#include "lessons/course/engine/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace gradwalk::course {

Times time_runs(int runs, const std::function<void()>& work) {
  if (runs < 1 || runs % 2 == 0) {
    throw std::invalid_argument(
        fmt::format("time_runs: expected an odd number of runs, got {}", runs));
  }
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2], seconds.back()};
}

}  // namespace gradwalk::course
