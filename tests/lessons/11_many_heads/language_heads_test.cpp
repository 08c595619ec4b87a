#include "lessons/11_many_heads/language_heads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lessons/course/engine/lesson.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_11 {
namespace {

class LanguageHeadsTest : public testing::Test {
 protected:
  LanguageHeads begin(HeadStart start) const { return {.start = start, .updates = 0, .seed = 5}; }

  const course::Lesson lesson_{99, "test", "Test"};
  const course::Settings settings_{};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(LanguageHeadsTest, BeginAsTheStartSays) {
  const HeadsApart usual = heads_apart(step_, begin(HeadStart::kUsual));
  EXPECT_GT(usual.maps, 0.1);
  EXPECT_LT(std::abs(usual.outputs), 0.2);
  EXPECT_LT(heads_apart(step_, begin(HeadStart::kSmall)).maps, 1e-3);
  const HeadsApart copies = heads_apart(step_, begin(HeadStart::kCopies));
  EXPECT_NEAR(copies.maps, 0, 1e-9);
  EXPECT_NEAR(copies.outputs, 1, 1e-6);
}

TEST_F(LanguageHeadsTest, CopiesGetEqualGradients) {
  LanguageHeads copies = begin(HeadStart::kCopies);
  copies.updates = 3;
  copies.batch = 2;
  EXPECT_NEAR(heads_apart(step_, copies).maps, 0, 1e-9);
}

TEST_F(LanguageHeadsTest, AreSeenFromTheLastWord) {
  const FirstLayerAttention attention = first_layer_attention(step_, begin(HeadStart::kUsual));
  EXPECT_EQ(attention.weights.shape(), (Shape{4, 10}));
  EXPECT_EQ(attention.words.size(), 10U);
  for (const double whole : sum(attention.weights, 1).to_vector()) EXPECT_NEAR(whole, 1, 1e-6);
}

TEST_F(LanguageHeadsTest, AreTakenAwayOneByOneAndAllTogether) {
  const LanguageHeads heads = begin(HeadStart::kUsual);
  const Pruning& alone = pruning(step_, heads);
  ASSERT_EQ(alone.alone.size(), 8U);
  EXPECT_TRUE(std::is_sorted(alone.alone.begin(), alone.alone.end(),
                             [](const HeadCost& a, const HeadCost& b) { return a.cost < b.cost; }));
  EXPECT_GT(alone.loss, 3) << "nothing is learned yet: about ln 40 and more";

  const std::vector<HeadCost>& order = prune_all(step_, heads);
  ASSERT_EQ(order.size(), 8U);
  std::vector<std::pair<std::int64_t, std::int64_t>> each;
  for (const HeadCost& one : order) each.emplace_back(one.layer, one.head);
  std::sort(each.begin(), each.end());
  EXPECT_EQ(std::unique(each.begin(), each.end()), each.end()) << "no head twice";
}

}  // namespace
}  // namespace gradwalk::lesson_11
