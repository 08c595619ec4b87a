#include "lessons/20_diagnosing/maps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lesson_20 {
namespace {

constexpr DType kF64 = DType::kFloat64;

TEST(QueryMaps, ByHand) {
  // W_K doubles the first axis; q = W_Q h of token 0 = (2, 2).
  const QueryMaps m = query_maps(matrix({{2, 0}, {2, 0}}, kF64), matrix({{2, 0}, {0, 1}}, kF64),
                                 matrix({{1, 0}, {0, 1}, {3, 4}}, kF64));
  EXPECT_EQ(test::difference(m.query, vector({2, 2}, kF64), 0), "");
  EXPECT_EQ(test::difference(m.pulled, vector({4, 2}, kF64), 0), "");
  EXPECT_EQ(test::difference(m.inverted, vector({1, 2}, kF64), 1e-15), "");
  EXPECT_EQ(test::difference(m.keys, matrix({{2, 0}, {0, 1}, {6, 4}}, kF64), 0), "");
  EXPECT_EQ(test::difference(m.scores, vector({4, 2, 20}, kF64), 0), "");
  const double root = std::sqrt(20);
  EXPECT_EQ(test::difference(m.cos_pulled, vector({4 / root, 2 / root, 4 / root}, kF64), 1e-15),
            "");
  const double five = std::sqrt(5);
  EXPECT_EQ(
      test::difference(m.cos_inverted, vector({1 / five, 2 / five, 11 / (5 * five)}, kF64), 1e-15),
      "");
  EXPECT_EQ(m.order(vector({1, 0, 5}, kF64)), 1);
  EXPECT_EQ(m.order(vector({1, 5, 0}, kF64)), -1);
}

TEST(QueryMaps, TurnedRoundAndInvertedAgreeWhereKeysAreOnlyTurned) {
  Generator generator(/*seed=*/5, "maps");
  const auto drawn = [&](std::int64_t rows) { return normal({rows, 4}, generator, kF64); };
  const Tensor w_k = turning_part(drawn(3));  // [3, 4]: rows at right angles
  EXPECT_EQ(test::difference(matmul(w_k, transpose(w_k)), eye(3, kF64), 1e-12, 1e-12), "");
  const QueryMaps m = query_maps(drawn(3), w_k, drawn(6));
  EXPECT_EQ(test::difference(m.inverted, m.pulled, 1e-12, 1e-12), "");
  EXPECT_NEAR(condition(w_k), 1, 1e-12);
}

TEST(OfRank, KeepsTheLargestSingularValues) {
  const Tensor x = matrix({{0, 3, 0}, {2, 0, 0}, {0, 0, 1}}, kF64);
  EXPECT_NEAR(condition(x), 3, 1e-12);
  EXPECT_EQ(test::difference(of_rank(x, 2), matrix({{0, 3, 0}, {2, 0, 0}, {0, 0, 0}}, kF64), 1e-12,
                             1e-12),
            "");
}

TEST(ReachedPart, HasTheScoresOfTheWholeQuery) {
  const Tensor w_k = matrix({{2, 0}, {0, 0}}, kF64);  // no key has a second component
  EXPECT_EQ(
      test::difference(reached_part(vector({5, 7}, kF64), w_k), vector({5, 0}, kF64), 1e-12, 1e-12),
      "");
}

}  // namespace
}  // namespace gradwalk::lesson_20
