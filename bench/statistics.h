#pragma once

#include <optional>
#include <vector>

#include "bench/workload.h"

namespace gradwalk::bench {

/// One timed sample: some calls of one contender.
struct Sample {
  double seconds;      ///< wall time of a call
  double cpu_seconds;  ///< time on the processor of the thread that called
  double waited;       ///< share of the wall time that this process's threads waited for a core
};

/// Waiting up to this share of a sample leaves it clean.
inline constexpr double kMostWaiting = 0.01;

/// Middle of the numbers; the mean of the middle two if their count is even. There must be one.
double median(std::vector<double> numbers);

struct Summary {
  double seconds;
  bool clean;  ///< false: another process was in the way, see below
};

/// The median over the clean samples. With fewer than three, the next best thing: the median of the
/// processor's time for one thread, else the fastest sample.
Summary summarize(const std::vector<Sample>& samples, int threads);

std::size_t count_clean(const std::vector<Sample>& samples);

/// Ours against another figure: more than 1 means that ours is better, whichever way the unit goes.
std::optional<double> ratio(const Unit& unit, std::optional<double> ours,
                            std::optional<double> other);

/// The better one of two figures.
std::optional<double> better(const Unit& unit, std::optional<double> a, std::optional<double> b);

}  // namespace gradwalk::bench
