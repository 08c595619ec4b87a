#include "bench/row.h"

#include "bench/statistics.h"

namespace gradwalk::bench {

std::string peer_of(const std::string& contender) {
  return contender.substr(0, contender.find('-'));
}

std::optional<double> Row::best_of(const std::string& peer) const {
  std::optional<double> best;
  for (const auto& [name, figure] : peers) {
    if (peer_of(name) == peer) best = better(unit, best, figure);
  }
  return best;
}

std::optional<double> Row::best_peer() const {
  std::optional<double> best;
  for (const auto& [name, figure] : peers) best = better(unit, best, figure);
  return best;
}

std::optional<double> Row::ratio_best_peer() const { return ratio(unit, ours, best_peer()); }

std::optional<double> Row::of_limit() const { return ratio(unit, ours, limit); }

}  // namespace gradwalk::bench
