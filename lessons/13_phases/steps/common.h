#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "lessons/13_phases/snapshots.h"
#include "lessons/course/engine/step.h"
#include "tensor/create.h"

/// What several steps of lesson 13 use.
namespace gradwalk::lesson_13 {

inline constexpr std::int64_t kEarly = 80, kMiddle = 160,
                              kMarks = 480;  // updates that the claim names

/// The times to look: often at first, then seldom.
inline std::vector<std::int64_t> times(std::int64_t updates) {
  std::set<std::int64_t> at = {0,      kStretch, 40,     kEarly,          kMiddle,
                               240,    320,      kMarks, updates * 4 / 5, updates - kStretch,
                               updates};
  for (std::int64_t more = 720; more < updates; more += 240) at.insert(more);
  return {at.begin(), at.end()};
}

struct TrainingRuns {
  std::vector<std::uint64_t> seeds;
  std::vector<std::vector<Snapshot>> snapshots;  ///< a seed
};

inline TrainingRuns training_runs(course::Step& step) {
  TrainingRuns all;
  const std::int64_t seeds = step.whole("seeds"), updates = step.whole("updates");
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    all.seeds.push_back(100 * step.seed() + static_cast<std::uint64_t>(seed));
    all.snapshots.push_back(
        training_snapshots(all.seeds.back(), times(updates), [&](std::int64_t done) {
          step.progress("train", seed * updates + done, seeds * updates);
        }));
  }
  return all;
}

}  // namespace gradwalk::lesson_13
