#include "lessons/13_phases/snapshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "lessons/tasks/grammar.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_13 {
namespace {

using testing::ElementsAre;

Tensor words(const std::string& text, const Shape& shape) {
  std::vector<double> ids;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    std::int64_t id = 0;
    while (tasks::grammar_word(id) != word) ++id;
    ids.push_back(static_cast<double>(id));
  }
  return from_vector(ids, shape, DType::kInt64);
}

// The keys that a query of a window is to look at.
std::vector<std::int64_t> keys(const Tensor& targets, std::int64_t window, std::int64_t query) {
  std::vector<std::int64_t> found;
  for (std::int64_t key = 0; key < targets.shape()[2]; ++key) {
    if (targets.at({window, query, key}) != 0) found.push_back(key);
  }
  return found;
}

// One layer, one head, two rows: the first moves 0.25 of its weight, the second all of it.
TEST(MapDistance, IsTheShareOfWeightThatMoved) {
  const Tensor a = from_vector({0.5, 0.5, 1, 0}, {1, 1, 2, 2});
  const Tensor b = from_vector({0.75, 0.25, 0, 1}, {1, 1, 2, 2});
  EXPECT_DOUBLE_EQ(map_distance({a}, {b}), (0.25 + 1) / 2);
  EXPECT_DOUBLE_EQ(map_distance({a, a}, {b, a}), (0.25 + 1) / 4);
  EXPECT_EQ(map_distance({a}, {a}), 0);
}

Snapshot snapshot_with(std::int64_t updates, double weight) {
  Snapshot snapshot;
  snapshot.updates = updates;
  snapshot.maps = {from_vector({weight, 1 - weight}, {1, 1, 1, 2})};
  return snapshot;
}

// 1/4 in the first 20 updates, 1/64 in the last 20. It goes half of the way back that was made in
// the 20 before, so that the last 40 moved no more.
TEST(Slowdown, ComparesTheFirstUpdatesWithTheLast) {
  const std::vector<Snapshot> snapshots = {
      snapshot_with(0, 0),     snapshot_with(20, 0.25),     snapshot_with(80, 0.5),
      snapshot_with(160, 0.5), snapshot_with(180, 0.53125), snapshot_with(200, 0.515625)};
  EXPECT_EQ(snapshot_at(snapshots, 21).updates, 80);
  EXPECT_EQ(snapshot_at(snapshots, 80).updates, 80);
  EXPECT_DOUBLE_EQ(speed(snapshots[0], snapshots[1]), 0.0125);
  const Slowdown slow = slowdown(snapshots);
  EXPECT_DOUBLE_EQ(slow.last_fifth, 0.25 / 20 / (0.015625 / 40));
  EXPECT_DOUBLE_EQ(slow.like_for_like, 16);
}

TEST(GrammarTargets, AreStartMarksAndWordBefore) {
  // Window 0 ends within the second sentence, whose start window 1 does not see.
  const Tensor windows = words(
      "why the foxes like a cat , why ? oh the dogs "
      "hear a pig ! so a cat sees a fox . so",
      {2, 12});
  const GrammarTargets targets = grammar_targets(windows, false, /*seed=*/1);
  EXPECT_EQ(targets.start.dtype(), DType::kBool);
  EXPECT_THAT(keys(targets.start, 0, 6), ElementsAre(0)) << "the comma: an echo is next";
  EXPECT_THAT(keys(targets.start, 0, 7), ElementsAre(0)) << "the echo: the mark is next";
  EXPECT_THAT(keys(targets.start, 0, 5), ElementsAre()) << "a comma is next";
  EXPECT_THAT(keys(targets.start, 1, 2), ElementsAre()) << "before query 4, start not in sight";
  EXPECT_THAT(keys(targets.start, 1, 9), ElementsAre(4));
  EXPECT_EQ(sum(to(targets.start, DType::kInt64)).item(), 3);

  EXPECT_THAT(keys(targets.marks, 0, 7), ElementsAre());
  EXPECT_THAT(keys(targets.marks, 0, 8), ElementsAre(8)) << "itself, too";
  EXPECT_THAT(keys(targets.marks, 1, 4), ElementsAre(3));
  EXPECT_THAT(keys(targets.marks, 1, 11), ElementsAre(3, 10));

  EXPECT_THAT(keys(targets.previous, 1, 3), ElementsAre());
  EXPECT_THAT(keys(targets.previous, 1, 4), ElementsAre(3));
}

TEST(GrammarTargets, OrAsManyWordsFromBefore) {
  const Tensor windows = words("why the foxes like a cat ? how the dogs hear a", {1, 12});
  const GrammarTargets real = grammar_targets(windows, false, /*seed=*/1);
  const GrammarTargets any = grammar_targets(windows, true, /*seed=*/1);
  for (std::int64_t query = 0; query < 12; ++query) {
    EXPECT_EQ(keys(any.start, 0, query).size(), keys(real.start, 0, query).size());
    EXPECT_EQ(keys(any.marks, 0, query).size(), keys(real.marks, 0, query).size());
    for (const std::int64_t key : keys(any.marks, 0, query)) EXPECT_LT(key, query);
  }
  EXPECT_EQ(any.previous.to_vector(), real.previous.to_vector());
}

TEST(TrainingSnapshots, AreOfOneTraining) {
  const std::vector<Snapshot>& snapshots = training_snapshots(/*seed=*/5, {0, 2});
  ASSERT_EQ(snapshots.size(), 2U);
  EXPECT_TRUE(std::isnan(snapshots[0].loss));
  EXPECT_GT(snapshots[1].loss, 3) << "nothing is learned yet: about ln 40 and more";
  ASSERT_EQ(snapshots[0].maps.size(), 2U);
  EXPECT_EQ(snapshots[0].maps[1].shape(), (Shape{8, 4, 32, 32}));
  EXPECT_GT(speed(snapshots[0], snapshots[1]), 0);
  EXPECT_EQ(snapshots[1].future, 0);
  EXPECT_GT(snapshots[0].apart, 0);
  EXPECT_EQ(snapshots[0].scores.start.size(), 4U);
  EXPECT_NE(snapshots[0].scores.marks, snapshots[0].any_scores.marks);
  EXPECT_EQ(&training_snapshots(5, {0, 2}), &snapshots) << "made once";
}

// An even map gives 1 / (t + 1) to the word before query t.
TEST(EvenScores, AreThoseOfAnEvenMap) {
  double before = 0;
  for (int query = 4; query < 32; ++query) before += 1.0 / (query + 1) / 28;
  const EvenScores even = even_scores(/*seed=*/5, false);
  EXPECT_NEAR(even.previous, before, 1e-12);
  EXPECT_NEAR(even.marks, 3.0 / 26, 0.02) << "a mark in 26/3 words";
  EXPECT_NEAR(even_scores(5, true).start, even.start, 1e-12) << "one key each, in equal rows";
}

}  // namespace
}  // namespace gradwalk::lesson_13
