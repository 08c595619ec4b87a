#include "lessons/20_diagnosing/depths.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gradwalk::lesson_20 {
namespace {

// Two encoders of three layers with two heads; on_answer and gap by hand.
EncoderDepth two_encoders() {
  const auto head = [](std::int64_t layer, std::int64_t at, double on_answer, double gap) {
    return EncoderHead{layer, at, on_answer, 1, gap, 0};
  };
  return {{.layers = 3, .heads = 2},
          {{0.9,
            {head(0, 0, 0.5, 1), head(0, 1, 0.3, 0), head(1, 0, 0.2, 0), head(1, 1, 0.2, 0),
             head(2, 0, 0.1, 0), head(2, 1, 0.1, 0)}},
           {0.7,
            {head(0, 0, 0.2, 0), head(0, 1, 0.6, 0), head(1, 0, 0.4, 0), head(1, 1, 0.4, 0),
             head(2, 0, 0.3, 0), head(2, 1, 0.1, 0)}}}};
}

TEST(EncoderDepth, TakesLayersApart) {
  const EncoderDepth depth = two_encoders();
  EXPECT_EQ(depth.of_layer(0, &EncoderHead::on_answer), (std::vector{0.5, 0.3, 0.2, 0.6}));
  EXPECT_NEAR(depth.mean_of(1, &EncoderHead::on_answer), 0.3, 1e-15);
  EXPECT_NEAR(depth.mean_of(0, &EncoderHead::gap), 0.25, 1e-15);
  EXPECT_NEAR(depth.later_less_first(&EncoderHead::on_answer), (0.3 + 0.15) / 2 - 0.4, 1e-15);
  EXPECT_NEAR(depth.best(0), 0.55, 1e-15);
  EXPECT_NEAR(depth.best(2), 0.2, 1e-15);
}

TEST(EncoderDepth, RightIsOverTheEncoders) {
  const course::Spread right = two_encoders().right();
  EXPECT_EQ(right.lowest, 0.7);
  EXPECT_NEAR(right.mean, 0.8, 1e-15);
  EXPECT_EQ(right.highest, 0.9);
}

TEST(EncoderDepth, OneLayerHasNoLaterOnes) {
  EncoderDepth depth = two_encoders();
  depth.options.layers = 1;
  EXPECT_TRUE(std::isnan(depth.later_less_first(&EncoderHead::on_answer)));
}

}  // namespace
}  // namespace gradwalk::lesson_20
