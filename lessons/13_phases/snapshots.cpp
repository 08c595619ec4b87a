#include "lessons/13_phases/snapshots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/head_targets.h"
#include "lessons/tasks/language_model.h"
#include "lessons/tasks/training.h"
#include "nn/diagnostics/head_similarity.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::lesson_13 {
namespace {

constexpr std::int64_t kWindows = 48, kKeptWindows = 8, kFirstQuery = 4;

Tensor windows_of(std::uint64_t seed) {
  const tasks::LanguageModelOptions options;
  return tasks::text_windows(tasks::test_text(options, seed), options.context, kWindows).inputs;
}

double largest_future_weight(const Tensor& map) {
  const std::int64_t tokens = map.shape()[3];
  const std::vector<double> weights = map.to_vector();
  double most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at % tokens > at / tokens % tokens) most = std::max(most, weights[i]);
  }
  return most;
}

std::vector<Tensor> maps_of(nn::CausalLm& model, const Tensor& windows) {
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  model(windows, {.traces = &traces});
  std::vector<Tensor> maps;
  for (const nn::AttentionTrace& trace : traces) maps.push_back(trace.weights.value());
  return maps;
}

HeadScores scores_of(const std::vector<Tensor>& maps, const GrammarTargets& targets) {
  HeadScores scores;
  scores.start = tasks::weight_on(maps.back(), targets.start);
  for (const Tensor& map : maps) {
    scores.marks = std::max(scores.marks, tasks::best_head(tasks::weight_on(map, targets.marks)));
    scores.previous =
        std::max(scores.previous, tasks::best_head(tasks::weight_on(map, targets.previous)));
  }
  return scores;
}

double last_losses(const std::vector<double>& losses) {
  return losses.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : tasks::moving_mean(losses).back();
}

// Often at first, then seldom.
std::vector<std::int64_t> times(std::int64_t updates) {
  std::set<std::int64_t> at = {0,      kStretch, 40,     kEarly,          kMiddle,
                               240,    320,      kMarks, updates * 4 / 5, updates - kStretch,
                               updates};
  for (std::int64_t more = 720; more < updates; more += 240) at.insert(more);
  return {at.begin(), at.end()};
}

}  // namespace

double map_distance(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double moved = 0;
  std::int64_t rows = 0;
  for (std::size_t layer = 0; layer < a.size(); ++layer) {
    const std::vector<double> p = a[layer].to_vector(), q = b[layer].to_vector();
    for (std::size_t i = 0; i < p.size(); ++i) moved += std::abs(p[i] - q[i]) / 2;
    rows += a[layer].numel() / a[layer].shape()[3];
  }
  return moved / static_cast<double>(rows);
}

GrammarTargets grammar_targets(const Tensor& windows, bool any, std::uint64_t seed) {
  const std::int64_t batch = windows.shape()[0], tokens = windows.shape()[1];
  std::vector<std::int64_t> ids;
  for (const double id : windows.to_vector()) ids.push_back(static_cast<std::int64_t>(id));
  const std::vector<tasks::GrammarPlace> places = tasks::parse_grammar(ids);
  Generator draws(seed, "phases.any word");
  std::vector<double> start(static_cast<std::size_t>(batch * tokens * tokens), 0), marks = start;
  for (std::int64_t query = 0; query < batch * tokens; ++query) {
    const std::int64_t window = query - query % tokens;
    if (query % tokens < kFirstQuery) continue;
    const auto put = [&](std::vector<double>& map, std::int64_t key) {
      if (any) key = window + draws.below(query - window);
      map[static_cast<std::size_t>(query * tokens + key - window)] = 1;
    };
    if (query + 1 < batch * tokens) {
      const tasks::GrammarPlace& next = places[static_cast<std::size_t>(query + 1)];
      const bool by_topic = next.echo || next.kind == tasks::GrammarKind::kMark;
      if (by_topic && next.source >= window) put(start, next.source);
    }
    for (std::int64_t key = window; key <= query; ++key) {
      if (places[static_cast<std::size_t>(key)].kind == tasks::GrammarKind::kMark) put(marks, key);
    }
  }
  const Shape shape = {batch, tokens, tokens};
  return {from_vector(start, shape, DType::kBool), from_vector(marks, shape, DType::kBool),
          tasks::previous_key(batch, tokens, kFirstQuery)};
}

const std::vector<Snapshot>& training_snapshots(std::uint64_t seed,
                                                const std::vector<std::int64_t>& at,
                                                const std::function<void(std::int64_t)>& progress) {
  using Key = std::pair<std::uint64_t, std::vector<std::int64_t>>;
  static course::Memo<Key, std::vector<Snapshot>> memo;
  return memo({seed, at}, [&] {
    const Tensor windows = windows_of(seed);
    const GrammarTargets targets = grammar_targets(windows, false, seed);
    const GrammarTargets any = grammar_targets(windows, true, seed);
    std::vector<Snapshot> snapshots;
    for (const std::int64_t updates : at) {
      tasks::LanguageModelOptions options;
      options.steps = updates;
      const auto trained = tasks::trained_language_model(
          options, seed, [&](std::int64_t done, std::int64_t /*total*/) {
            if (progress) progress(done);
          });
      const std::vector<Tensor> maps = maps_of(*trained.model, windows);
      Snapshot snapshot;
      snapshot.updates = updates;
      snapshot.loss = last_losses(trained.losses);
      snapshot.scores = scores_of(maps, targets);
      snapshot.any_scores = scores_of(maps, any);
      snapshot.apart = nn::mean_pairwise(nn::head_divergence(maps.back()));
      for (const Tensor& map : maps) {
        snapshot.maps.push_back(clone(slice(map, 0, 0, kKeptWindows)));
        snapshot.future = std::max(snapshot.future, largest_future_weight(map));
      }
      snapshots.push_back(std::move(snapshot));
    }
    return snapshots;
  });
}

const Snapshot& snapshot_at(const std::vector<Snapshot>& snapshots, std::int64_t updates) {
  return *std::find_if(snapshots.begin(), snapshots.end(),
                       [&](const Snapshot& snapshot) { return snapshot.updates >= updates; });
}

double speed(const Snapshot& a, const Snapshot& b) {
  return map_distance(a.maps, b.maps) / static_cast<double>(b.updates - a.updates);
}

Slowdown slowdown(const std::vector<Snapshot>& snapshots) {
  const Snapshot& end = snapshots.back();
  const double first = speed(snapshots.front(), snapshot_at(snapshots, kStretch));
  return {first / speed(snapshot_at(snapshots, end.updates * 4 / 5), end),
          first / speed(snapshot_at(snapshots, end.updates - kStretch), end)};
}

EvenScores even_scores(std::uint64_t seed, bool any) {
  const GrammarTargets targets = grammar_targets(windows_of(seed), any, seed);
  return {tasks::even_weight_on(targets.start), tasks::even_weight_on(targets.marks),
          tasks::even_weight_on(targets.previous)};
}

TrainingRuns training_runs(course::Step& step) {
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
