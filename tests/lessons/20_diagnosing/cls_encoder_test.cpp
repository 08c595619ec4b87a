#include "lessons/20_diagnosing/cls_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lessons/course/engine/measure.h"
#include "support.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_20 {
namespace {

using testing::SizeIs;

// Small enough to learn within a fraction of a second.
ClsEncoderOptions small(int updates) {
  tasks::NumberTask task;
  task.numbers = task.nouns = 4;
  task.tokens = 4;
  task.most = 3;
  return {.task = task, .layers = 1, .d_model = 16, .heads = 2, .updates = updates, .lr = 1e-2};
}

tasks::NumberBatch test_texts(const ClsEncoderOptions& options, std::int64_t texts = 200) {
  Generator generator(1, "test");
  return draw_texts(texts, options, generator);
}

TEST(ClsEncoder, LearnsToFindTheLargest) {
  const ClsEncoderOptions options = small(100);
  const auto model = trained_cls_encoder(options, 1);
  const EncoderScore score = encoder_score(*model, test_texts(options));
  EXPECT_GT(score.accuracy, 0.9);
  ASSERT_THAT(score.heads, SizeIs(2));
  for (const EncoderHead& head : score.heads) {
    EXPECT_EQ(head.layer, 0);
    EXPECT_GT(head.ratio, 1);
    EXPECT_GT(head.gap, 0);
  }
  EXPECT_EQ(score.heads[1].head, 1);
}

TEST(ClsEncoder, IsRememberedAndTheModelIsTheCallersOwn) {
  const ClsEncoderOptions options = small(2);
  const auto first = trained_cls_encoder(options, 1);
  const Tensor before = clone(first->state_dict().front().second);
  fill(first->state_dict().front().second, 0);
  int done = 0;
  const auto again = trained_cls_encoder(options, 1, [&](int) { ++done; });
  EXPECT_EQ(done, 0);
  EXPECT_EQ(course::distance(again->state_dict().front().second, before), 0);
}

TEST(ClsEncoder, WithoutTrainingLooksEverywhereAlike) {
  ClsEncoderOptions options = small(0);
  options.layers = 2;
  const auto model = trained_cls_encoder(options, 1);
  for (const auto& [name, weight] : model->state_dict()) {
    if (name.ends_with("q_proj.weight")) fill(weight, 0);
  }
  const tasks::NumberBatch texts = test_texts(options);
  const EncoderScore score = encoder_score(*model, texts);
  ASSERT_THAT(score.heads, SizeIs(4));
  EXPECT_EQ(score.heads[3].layer, 1);
  for (const EncoderHead& head : score.heads) {
    EXPECT_NEAR(head.on_answer, 0.2, 1e-6);  // one of five tokens
    EXPECT_NEAR(head.ratio, 1, 1e-6);
    EXPECT_EQ(head.gap, 0);  // a zero query has no direction
    EXPECT_EQ(head.rho, 0);
  }
}

TEST(EncoderScore, HasNoNounsToCompareDigitsWith) {
  ClsEncoderOptions options{.task = DigitTask{.digits = 3, .items = 2}, .layers = 1, .updates = 0};
  const auto model = trained_cls_encoder(options, 1);
  const tasks::NumberBatch texts = test_texts(options, 20);
  const EncoderScore score = encoder_score(*model, texts);
  ASSERT_THAT(score.heads, SizeIs(4));
  EXPECT_TRUE(std::isnan(score.heads[0].gap));
  EXPECT_TRUE(std::isnan(score.heads[0].ratio));
  EXPECT_LT(std::abs(score.heads[0].rho), 0.9);
  EXPECT_EQ(texts.ids.shape(), Shape({20, 5}));
}

}  // namespace
}  // namespace gradwalk::lesson_20
