#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/peers/peer.h"

namespace gradwalk::bench {

/// The program: reads the words of its command line, measures, prints tables to `out` and progress
/// to `err`. @return the exit code: 0, 1 if results differ, 2 if the words are wrong
int run_bench(const std::vector<std::string>& words, const Peers& peers, std::ostream& out,
              std::ostream& err);

}  // namespace gradwalk::bench
