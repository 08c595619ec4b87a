#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace gradwalk::bench {

/// The command line is wrong: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  bool help = false;
  bool list = false;
  std::vector<std::string> filter;  ///< parts of names, one of which must occur; empty: all
  std::string json;                 ///< a file's name; empty: none
  MeasureOptions measure;
};

/// @param cores  more threads than these are an error; --threads is 1,2 if there are as many
/// @throws UsageError
Options parse_options(const std::vector<std::string>& words, int cores);

/// The page that --help shows.
std::string help_page();

/// Those that the filter asks for. @throws UsageError if there is none
std::vector<Workload> select_workloads(std::vector<Workload> all,
                                       const std::vector<std::string>& filter);

}  // namespace gradwalk::bench
