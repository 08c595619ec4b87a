#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lessons/course/engine/step.h"
#include "tensor/tensor.h"

/// A training of the language model, looked at now and then: how far its attention maps move, and
/// what its heads look for.
namespace gradwalk::lesson_13 {

/// Half the sum of |p - q|, the mean over all rows of all maps of all layers: 0 if nothing moved, 1
/// if no weight stayed on its key.
/// @param a, b  one [B, H, T, S] a layer, alike
double map_distance(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

/// What the heads are looked at for, from query 4 on: bool [B, T, T].
struct GrammarTargets {
  Tensor start;     ///< the first word of the sentence, where the next word is an echo or a mark
  Tensor marks;     ///< every . ? ! up to the query
  Tensor previous;  ///< the word before
};
/// @param windows  int64 [B, T], side by side from a text's beginning
/// @param any      in place of the start and of each mark a word drawn from those before the query;
///                 one that is drawn twice counts once
GrammarTargets grammar_targets(const Tensor& windows, bool any, std::uint64_t seed);

/// Weight on the targets.
struct HeadScores {
  std::vector<double> start;  ///< of each head of layer 2
  double marks = 0;           ///< of the best head of either layer
  double previous = 0;        ///< of the best head of either layer
};

/// After so many updates, over 48 windows of the test text.
struct Snapshot {
  std::int64_t updates = 0;
  double loss = 0;           ///< mean of the last 20, nats; NaN before the first
  std::vector<Tensor> maps;  ///< of the first 8 windows, [8, H, T, T] a layer
  HeadScores scores;
  HeadScores any_scores;  ///< on targets that are drawn
  double apart = 0;       ///< mean divergence between the heads of layer 2, bits
  double future = 0;      ///< weight on words to come, the largest of all
};

/// One training with a seed, looked at `at` (ascending) times. Made once a process and remembered.
const std::vector<Snapshot>& training_snapshots(
    std::uint64_t seed, const std::vector<std::int64_t>& at,
    const std::function<void(std::int64_t)>& progress = {});

/// The first after at least so many updates. @param snapshots  one of them is
const Snapshot& snapshot_at(const std::vector<Snapshot>& snapshots, std::int64_t updates);

/// How far maps moved from one snapshot to a later one, a share of all weight for each update.
double speed(const Snapshot& a, const Snapshot& b);

inline constexpr std::int64_t kStretch = 20;  ///< updates

/// The speed over the first kStretch updates, as so many times a later one.
struct Slowdown {
  double last_fifth;     ///< of all updates: what comes and goes within it has not moved
  double like_for_like;  ///< the last kStretch
};
/// @param snapshots  with one after kStretch, after four fifths, and kStretch before the end
Slowdown slowdown(const std::vector<Snapshot>& snapshots);

/// Updates that the claim names.
inline constexpr std::int64_t kEarly = 80, kMiddle = 160, kMarks = 480;

/// The trainings of several seeds.
struct TrainingRuns {
  std::vector<std::uint64_t> seeds;
  std::vector<std::vector<Snapshot>> snapshots;  ///< a seed
};
/// Those of the step's `seeds`, with snapshots often at first, then seldom, up to its `updates`.
TrainingRuns training_runs(course::Step& step);

/// What an even spread would put on the targets.
struct EvenScores {
  double start, marks, previous;
};
EvenScores even_scores(std::uint64_t seed, bool any);

}  // namespace gradwalk::lesson_13
