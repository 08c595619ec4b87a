#include "lessons/01_soft_lookup/lookup.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/measure.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_01 {
namespace {

constexpr DType kF64 = DType::kFloat64;

TEST(Cards, TheLongerKeyWinsAgainstTheCloserOne) {
  const Cards c = cards();
  EXPECT_EQ(argmax(matmul(c.keys, c.q)).item(), 3) << "bus";
  EXPECT_EQ(agreement(reshape(c.q, {1, 2}), c.keys), 0) << "car points closest";
}

TEST(Agreement, CountsQueries) {
  const Tensor keys = matrix({{1, 0}, {0, 3}}, kF64);
  // The first query agrees; the second points at key 0, whose product is smaller.
  EXPECT_EQ(agreement(matrix({{0, 1}, {2, 1}}, kF64), keys), 0.5);
}

TEST(Dictionary, ColdReadsTheBestKeyAndHotTheMean) {
  const Dictionary dictionary(16, 8, 20, Generator(1, "d"));
  const LookUp cold = dictionary.at(1e-4), hot = dictionary.at(1e4);
  EXPECT_LT(cold.error, 0.05);
  EXPECT_GT(cold.max_weight, 0.95);
  EXPECT_LT(hot.from_mean, 1e-3);
  EXPECT_NEAR(hot.entropy, std::log(16), 1e-6);
  EXPECT_EQ(cold.violations + hot.violations, 0);
}

TEST(Cool, SeesThatNothingFallsWhenTheTemperatureStays) {
  std::vector<Dictionary> dictionaries;
  dictionaries.emplace_back(16, 8, 20, Generator(1, "d"));
  dictionaries.emplace_back(16, 8, 20, Generator(2, "d"));
  EXPECT_TRUE(cool(dictionaries, {10, 1, 0.1}).falls);
  EXPECT_FALSE(cool(dictionaries, {10, 1, 1}).falls);
  EXPECT_FALSE(cool(dictionaries, {0.1, 1}).falls);
  const Cooling both = cool(dictionaries, {1});
  const double mean = (dictionaries[0].at(1).error + dictionaries[1].at(1).error) / 2;
  EXPECT_DOUBLE_EQ(both.means[0].error, mean);
}

TEST(UnitKeys, HaveTheWeightOfTheFormula) { EXPECT_LT(unit_keys_off(16), 1e-15); }

TEST(Shares, AloneTheyDoNotCompete) {
  const Tensor scores = vector({0.5, -1, 2}, kF64);
  const Tensor together = jacobian_of_shares(scores, false);
  const Tensor alone = jacobian_of_shares(scores, true);
  EXPECT_LT(course::largest(sum(together, 0)), 1e-16);
  EXPECT_LT(together.at({0, 1}), 0);
  EXPECT_EQ(alone.at({0, 1}), 0);
  EXPECT_GT(alone.at({1, 1}), 0);
}

TEST(TokenScores, FlatOnesAreAllAlike) {
  const TokenScores flat = token_scores(4, 3, Generator(1, "t"), true);
  EXPECT_EQ(course::distance(flat.scores, full({4, 4}, 0.25, kF64)), 0);
  const TokenScores real = token_scores(4, 3, Generator(1, "t"), false);
  EXPECT_LT(course::distance(real.scores * std::sqrt(3.0), matmul(real.q, transpose(real.k))),
            1e-15);
}

}  // namespace
}  // namespace gradwalk::lesson_01
