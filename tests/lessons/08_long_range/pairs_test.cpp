#include "lessons/08_long_range/pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/measure.h"
#include "tensor/create.h"

namespace gradwalk::lesson_08 {
namespace {

TEST(Scan, MatchesAHandWorkedCaseAndCountsEachProduct) {
  // One query [ln 9, 0] / scale, two keys: scores ln 9 and 0, weights 0.9 and 0.1.
  const auto q = static_cast<float>(std::log(9.0) * std::sqrt(2.0));
  const Heads heads{.query = from_vector({q, 0}, {1, 2}, DType::kFloat32),
                    .key = from_vector({1, 0, 0, 1}, {2, 2}, DType::kFloat32),
                    .value = from_vector({10, 0, 0, 20}, {2, 2}, DType::kFloat32)};
  const Scan result = scan(heads);
  EXPECT_NEAR(result.answers.at({0, 0}), 9, 1e-6);
  EXPECT_NEAR(result.answers.at({0, 1}), 2, 1e-6);
  EXPECT_EQ(result.multiply_adds, 8);
  EXPECT_EQ(count_at_once(heads), 8);
}

TEST(AtOnce, GivesTheAnswersOfTheScanForAsManyMultiplyAdds) {
  const Heads heads = draw_heads(/*queries=*/5, /*keys=*/9, /*width=*/8, /*seed=*/1);
  const Scan by_hand = scan(heads);
  EXPECT_LT(course::distance(at_once(heads), by_hand.answers), 1e-5);
  EXPECT_EQ(by_hand.multiply_adds, 2 * 5 * 9 * 8);
  EXPECT_EQ(count_at_once(heads), by_hand.multiply_adds);
}

TEST(AtOnce, MeetsTheLastKeysAloneInAWindow) {
  const Heads heads = draw_heads(/*queries=*/5, /*keys=*/9, /*width=*/8, /*seed=*/1);
  EXPECT_EQ(count_at_once(heads, /*window=*/3), 2 * 5 * 3 * 8);
  EXPECT_GT(course::distance(at_once(heads, 3), at_once(heads)), 1e-3);
  EXPECT_EQ(course::distance(at_once(heads, 9), at_once(heads)), 0);
}

TEST(CountRnn, IsTwoSquareProductsAWord) { EXPECT_EQ(count_rnn(7, 4, /*seed=*/1), 7 * 2 * 4 * 4); }

}  // namespace
}  // namespace gradwalk::lesson_08
