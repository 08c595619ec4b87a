#include "lessons/16_direction_probe/one_head.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/measure.h"
#include "nn/diagnostics/cosine.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_16 {
namespace {

constexpr DType kF64 = DType::kFloat64;

// Three tokens of two numbers; the head looks at them through [2, 2] matrices.
OneHead small_head() {
  return {matrix({{1, 2}, {3, 4}, {0, 1}}, kF64), matrix({{1, 0}, {1, 1}}, kF64),
          matrix({{2, 0}, {0, 1}}, kF64)};
}

TEST(OneHead, QueryAndKeysByHand) {
  EXPECT_EQ(test::difference(small_head().query(), vector({1, 3}, kF64), 0), "");
  EXPECT_EQ(test::difference(small_head().keys(), matrix({{2, 2}, {6, 4}, {0, 1}}, kF64), 0), "");
}

TEST(OneHead, RowsAsKeysAndOneHotWeightByHand) {
  // W_K (1, 0) and W_K (1, 1); then W_Q h of each token.
  EXPECT_EQ(test::difference(rows_as_keys(small_head()), matrix({{2, 0}, {2, 1}}, kF64), 0), "");
  const Tensor stored = one_hot_weight(small_head());
  EXPECT_EQ(test::difference(stored, matrix({{1, 3}, {3, 7}, {0, 1}}, kF64), 0), "");
  EXPECT_EQ(test::difference(select(stored, 0, 0), small_head().query(), 0), "");
}

TEST(ReadingOf, ByHand) {
  const Reading found = reading_of(vector({1, 0}, kF64), matrix({{3, 4}, {0, 2}, {-1, 0}}, kF64));
  EXPECT_EQ(test::difference(found.lengths, vector({5, 2, 1}, kF64), 1e-15), "");
  EXPECT_EQ(test::difference(found.cosines, vector({0.6, 0, -1}, kF64), 1e-15), "");
  EXPECT_EQ(test::difference(found.scores, vector({3, 0, -1}, kF64) / std::sqrt(2.0), 1e-15), "");
  EXPECT_NEAR(sum(found.weights).item(), 1, 1e-15);
  EXPECT_NEAR(found.weights.at({0}) / found.weights.at({1}), std::exp(3 / std::sqrt(2.0)), 1e-12);
}

TEST(OfOneLength, KeepsDirectionsAndTheMeanLength) {
  const Tensor keys = matrix({{3, 4}, {0, 1}}, kF64);
  EXPECT_EQ(test::difference(of_one_length(keys), matrix({{1.8, 2.4}, {0, 3}}, kF64), 1e-15), "");
}

TEST(SameOrder, LeavesClsOut) {
  EXPECT_EQ(same_order(vector({9, 1, 2, 3}), vector({0, 10, 11, 50})), 1);
  EXPECT_EQ(same_order(vector({9, 1, 2, 3}), vector({0, 3, 2, 1})), -1);
}

TEST(MatrixSimilarity, ByHand) {
  const MatrixSimilarity found =
      matrix_similarity(matrix({{1, 2}, {2, 0}}, kF64), matrix({{4, 0}, {0, 3}}, kF64));
  EXPECT_EQ(found.product, 4);
  EXPECT_NEAR(found.lengths, 15, 1e-14);
  EXPECT_NEAR(found.cosine(), 4.0 / 15, 1e-15);
}

class ModelHeadTest : public testing::Test {
 protected:
  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
  const std::unique_ptr<tasks::ClsModel> model_ = tasks::new_number_model({}, /*seed=*/3);
  const OneHead head_ = head_of(*model_);
};

TEST_F(ModelHeadTest, HasTheScoresOfTheModel) {
  const Reading found = reading_of(head_.query(), head_.keys());
  EXPECT_LT(course::relative_distance(found.scores, own_scores(*model_)), 1e-5);
}

TEST_F(ModelHeadTest, AnotherBasisKeepsScoresAndTheProductOfTheMatrices) {
  const OneHead other = in_basis(head_, random_basis(step_, "a", /*rotation=*/false));
  const Reading before = reading_of(head_.query(), head_.keys());
  const Reading after = reading_of(other.query(), other.keys());
  EXPECT_LT(course::relative_distance(after.scores, before.scores), 1e-11);
  EXPECT_GT(course::distance(after.cosines, before.cosines), 0.01);
  const auto similarity = [](const OneHead& head) {
    return matrix_similarity(head.query_weight, head.key_weight);
  };
  EXPECT_NEAR(similarity(other).product, similarity(head_).product, 1e-11);
  EXPECT_GT(similarity(other).lengths, 1.01 * similarity(head_).lengths);
}

TEST_F(ModelHeadTest, ARotationKeepsCosinesToo) {
  const Tensor r = random_basis(step_, "a", /*rotation=*/true);
  EXPECT_EQ(test::difference(matmul(r, transpose(r)), eye(kHeadDim, kF64), 1e-12, 1e-12), "");
  const OneHead other = in_basis(head_, r);
  EXPECT_LT(course::distance(reading_of(other.query(), other.keys()).cosines,
                             reading_of(head_.query(), head_.keys()).cosines),
            1e-12);
}

TEST_F(ModelHeadTest, TurnedSignsTurnTheMatchOfARowButNotOfTheQuery) {
  const OneHead turned = in_basis(head_, eye(kHeadDim, kF64) * -1.0);
  const auto match = [](const Tensor& v, const OneHead& head) {
    return nn::cosine(head.keys(), v);
  };
  const auto row = [&](const OneHead& head) {
    return match(select(rows_as_keys(head), 0, 0), head);
  };
  EXPECT_LT(course::distance(row(turned), row(head_) * -1.0), 1e-12);
  EXPECT_LT(course::distance(match(turned.query(), turned), match(head_.query(), head_)), 1e-12);
}

}  // namespace
}  // namespace gradwalk::lesson_16
