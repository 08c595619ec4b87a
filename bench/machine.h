#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/peers/peer.h"

namespace gradwalk::bench {

/// Where the figures come from.
struct Machine {
  std::string cpu;
  int cores;
  std::string compiler;
  std::string simd;  ///< Highway's name of the build's target
  std::vector<std::string> peers;
  /// What the machine allows, by number of threads: multiply-adds on registers, and copying (read
  /// and write counted) and reading more than caches hold.
  struct Limits {
    double fma_gflops, copy_gbs, read_gbs;
  };
  std::map<int, Limits> limits;
};

int count_cores();

/// Takes a second or two for the limits.
Machine look_at_machine(const Peers& peers, const MeasureOptions& options,
                        const SetThreads& set_threads);

std::string describe(const Machine& machine);

}  // namespace gradwalk::bench
