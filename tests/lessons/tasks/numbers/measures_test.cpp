#include "lessons/tasks/numbers/measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;
using testing::ThrowsMessage;

constexpr double kRoot = 2.449489742783178;  // sqrt(6), by which scores of heads of 6 are divided

// [CLS], numbers worth 0, 1, 2, two nouns.
NumberTask three_numbers() {
  NumberTask task;
  task.numbers = 3;
  task.nouns = 2;
  task.tokens = 4;
  task.most = 3;
  return task;
}

// Written by hand: token i is the i-th unit vector, its score 20 times what it is worth (a noun's
// and [CLS]'s is 0), its value itself, and class c reads the coordinate of the number worth c.
std::unique_ptr<ClsModel> by_hand() {
  auto model = std::make_unique<ClsModel>(
      ClsModelOptions{.vocabulary = 6, .classes = 3, .d_model = 6, .head_dim = 6}, nn::Seed(1));
  Tensor query = zeros({6, 6}), key = zeros({6, 6}), readout = zeros({3, 6});
  fill(slice(slice(query, 0, 0, 1), 1, 0, 1), kRoot);
  fill(slice(slice(key, 0, 0, 1), 1, 2, 3), 20);
  fill(slice(slice(key, 0, 0, 1), 1, 3, 4), 40);
  for (std::int64_t c = 0; c < 3; ++c) {
    fill(slice(slice(readout, 0, c, c + 1), 1, 1 + c, 2 + c), 1);
  }
  model->load_state_dict({{"embedding.weight", eye(6)},
                          {"attention.q_proj.weight", query},
                          {"attention.k_proj.weight", key},
                          {"attention.v_proj.weight", eye(6)},
                          {"attention.o_proj.weight", eye(6)},
                          {"readout.weight", readout},
                          {"readout.bias", zeros({3})}});
  return model;
}

TEST(ClsHead, IsWhatCLSSees) {
  const ClsHead head = cls_head(*by_hand());
  EXPECT_EQ(test::difference(head.query, vector({kRoot, 0, 0, 0, 0, 0}), 1e-6, 0), "");
  EXPECT_EQ(head.keys.shape(), Shape({6, 6}));
  EXPECT_EQ(head.keys.at({3, 0}), 40);
  EXPECT_EQ(test::difference(head.values, eye(6), 0, 0), "");
  EXPECT_THAT([] { cls_head(*by_hand(), 1); },
              ThrowsMessage<std::out_of_range>("cls_head: expected a head in [0, 1), got 1"));
}

TEST(Alignment, ComparesNumbersWithNouns) {
  // Cosines with (2, 0): numbers 1, 0, 0.6; nouns 0, -1. [CLS] is not looked at.
  const Tensor query = vector({2, 0}, DType::kFloat64);
  const Tensor keys = matrix({{9, 9}, {3, 0}, {0, 1}, {3, 4}, {0, 1}, {-1, 0}}, DType::kFloat64);
  const NumberTask task = three_numbers();
  const Alignment a = alignment(query, keys, task);
  EXPECT_NEAR(a.match.of_cosines.group.mean, 1.6 / 3, 1e-15);
  EXPECT_NEAR(a.gap(), 1.6 / 3 + 0.5, 1e-15);
  EXPECT_THAT(number_rows(a.match.logits, task).to_vector(),
              Pointwise(DoubleNear(1e-14), {3 * std::sqrt(2.0), 0.0, 3 * std::sqrt(2.0)}));
  EXPECT_EQ(a.rho, 0);  // 3, 0, 3 over 0, 1, 2
  EXPECT_EQ(a.noun_rho, -1);
  EXPECT_NEAR(a.spread, std::sqrt(6.0), 1e-14);  // 3 sqrt(2) sqrt(1/3)
}

TEST(Alignment, FollowsTheOrderOfTheTask) {
  NumberTask task = three_numbers();
  EXPECT_EQ(alignment(*by_hand(), task).rho, 1);
  task.order = smallest_first_order(3);
  EXPECT_EQ(alignment(*by_hand(), task).rho, -1);
}

TEST(PointAxis, TellsAnOrderedLineFromACloud) {
  const Tensor line = matrix({{0, 0}, {2, 1}, {4, 2}, {8, 4}}, DType::kFloat64);
  const PointAxis ordered = point_axis(line, {0, 1, 2, 3});
  EXPECT_NEAR(ordered.share, 1, 1e-12);
  EXPECT_EQ(ordered.order, 1);
  EXPECT_EQ(point_axis(line, {3, 2, 1, 0}).order, 1);  // an axis has no sign
  EXPECT_EQ(point_axis(line, {1, 0, 0, 1}).order, 0);
  const Tensor cross = matrix({{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, DType::kFloat64);
  EXPECT_NEAR(point_axis(cross, {0, 1, 2, 3}).share, 0.5, 1e-12);
}

TEST(NumberScore, IsWhatTheModelAnswersAndLooksAt) {
  const NumberTask task = three_numbers();
  const NumberBatch texts = number_tests(task, 1, 200);
  const auto model = by_hand();
  const NumberScore score = number_score(*model, task, texts);
  EXPECT_EQ(score.accuracy, 1);
  EXPECT_THAT(score.on_answer, ElementsAre(DoubleNear(1, 1e-7)));
  EXPECT_THAT(score.on_numbers, ElementsAre(DoubleNear(1, 1e-7)));
  EXPECT_GT(score.ratio.at(0), 1e6);
  EXPECT_TRUE(std::isnan(score.noun_accuracy));
  EXPECT_TRUE(std::isnan(score.on_noun.at(0)));

  // With keys that all are [CLS]'s, weights are equal: 1/5 for the answer, n/5 for n = 2 or 3.
  const NumberScore blind = number_score(*model, task, texts, {.key_table = zeros({6, 6})});
  EXPECT_THAT(blind.on_answer, ElementsAre(DoubleNear(0.2, 1e-7)));
  EXPECT_THAT(blind.on_numbers, ElementsAre(DoubleNear(0.5, 0.04)));
  EXPECT_THAT(blind.ratio, ElementsAre(DoubleNear(1, 1e-7)));
  // Without values all classes get 0 and the first one is named, which is never the answer.
  EXPECT_EQ(number_score(*model, task, texts, {.value_table = zeros({6, 6})}).accuracy, 0);
}

TEST(NumberTests, AreTheSameForASeedAndATask) {
  const NumberTask task;
  const Tensor ids = number_tests(task, 5, 10).ids;
  EXPECT_EQ(test::difference(to(number_tests(task, 5, 10).ids, DType::kFloat64),
                             to(ids, DType::kFloat64), 0, 0),
            "");
  EXPECT_NE(test::difference(to(number_tests(task, 6, 10).ids, DType::kFloat64),
                             to(ids, DType::kFloat64), 0, 0),
            "");
}

}  // namespace
}  // namespace gradwalk::tasks
