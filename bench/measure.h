#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/row.h"
#include "bench/workload.h"

namespace gradwalk::bench {

struct MeasureOptions {
  std::vector<int> threads{1, 2};
  double min_time = 1e-3;  ///< seconds that one sample lasts at least
  int samples = 15;        ///< of each contender; slow ones have fewer
};

/// Called with a number of threads before anything runs: sets those of ours and of every peer.
using SetThreads = std::function<void(int)>;

/// Compares the contenders' results, then times them, with each number of threads: one row each.
///
/// The samples of all contenders are taken in random order (Google Benchmark's interleaving), so
/// that a slow minute of the machine meets all of them. If too many were disturbed by other
/// processes, more are taken. The naive loops have one thread, so they are timed once, with the
/// first number of threads. If results differ, nothing is timed and the row says what differs.
std::vector<Row> measure(const Workload& workload, const MeasureOptions& options,
                         const SetThreads& set_threads);

/// To be called once before anything is measured.
void initialize_measuring(const char* program);

}  // namespace gradwalk::bench
