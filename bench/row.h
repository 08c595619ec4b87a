#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "bench/workload.h"

namespace gradwalk::bench {

/// What was measured of one workload with one number of threads.
struct Row {
  std::string workload;
  int threads;
  Unit unit;
  std::optional<double> ours;
  std::optional<double> naive;
  std::map<std::string, double> peers;
  std::optional<double> limit;
  std::set<std::string> unclean;  ///< contenders whose samples were all disturbed
  std::string error;              ///< why nothing was timed

  /// The best figure of a peer, or of one peer's ways: those called `peer` or `peer`-word.
  std::optional<double> best_peer() const;
  std::optional<double> best_of(const std::string& peer) const;
  std::optional<double> ratio_best_peer() const;
  std::optional<double> of_limit() const;
};

/// The peer that a contender's name belongs to: the name up to a dash.
std::string peer_of(const std::string& contender);

}  // namespace gradwalk::bench
