#include "lessons/20_diagnosing/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"

namespace gradwalk::lesson_20 {
namespace {

constexpr DType kDouble = DType::kFloat64;

// W_K keeps the first axis and halves the second, so its inverse doubles it. Token 0 is [CLS].
class ScriptCosines : public testing::Test {
 protected:
  const Tensor q_weight_ = matrix({{3, 2}, {0, 1}}, kDouble);
  const Tensor k_weight_ = matrix({{1, 0}, {0, 0.5}}, kDouble);
  const Tensor embeddings_ =
      matrix({{1, 0}, {1, 0}, {3, 8}}, kDouble);  // keys (1, 0), (1, 0), (3, 4)

  Tensor cosines(std::int64_t row, ScriptMend mend) const {
    return script_cosines(q_weight_, k_weight_, row, embeddings_, mend);
  }
};

TEST_F(ScriptCosines, AsWrittenMapsARowThroughTheInverse) {
  // (3, 2) becomes (3, 4), (0, 1) becomes (0, 2).
  EXPECT_EQ(test::difference(cosines(0, ScriptMend::kNone), vector({0.6, 0.6, 1}, kDouble), 1e-12),
            "");
  EXPECT_EQ(test::difference(cosines(1, ScriptMend::kNone), vector({0, 0, 0.8}, kDouble), 1e-12),
            "");
}

TEST_F(ScriptCosines, EachMistakeIsMendedByItself) {
  // W_Q h of [CLS] is (3, 0), whatever the row; the inverse leaves it as it is.
  for (const std::int64_t row : {0, 1}) {
    for (const ScriptMend mend : {ScriptMend::kQuery, ScriptMend::kBoth}) {
      EXPECT_EQ(test::difference(cosines(row, mend), vector({1, 1, 0.6}, kDouble), 1e-12), "");
    }
  }
  const double length = std::sqrt(13);
  EXPECT_EQ(test::difference(cosines(0, ScriptMend::kMap),
                             vector({3 / length, 3 / length, 17 / (5 * length)}, kDouble), 1e-12),
            "");
}

TEST_F(ScriptCosines, OtherSignsOfBothMatricesTurnItAbout) {
  const Tensor turned = script_cosines(-q_weight_, -k_weight_, 0, embeddings_);
  EXPECT_EQ(test::difference(turned, vector({-0.6, -0.6, -1}, kDouble), 1e-12), "");
}

TEST_F(ScriptCosines, NeedsHeadsThatAreTogetherAsWideAsEmbeddings) {
  const Tensor narrow = matrix({{1, 0}}, kDouble);
  EXPECT_THAT([&] { script_cosines(narrow, narrow, 0, embeddings_); },
              testing::ThrowsMessage<ShapeError>(testing::HasSubstr("got 1 and 2")));
  EXPECT_EQ(test::difference(script_cosines(narrow, narrow, 0, embeddings_, ScriptMend::kBoth),
                             vector({1, 1, 1}, kDouble), 1e-12),
            "");
}

TEST_F(ScriptCosines, NeedsARowForTheToken) {
  EXPECT_THROW(cosines(2, ScriptMend::kNone), std::out_of_range);
}

}  // namespace
}  // namespace gradwalk::lesson_20
