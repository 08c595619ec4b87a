#include "lessons/tasks/head_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::tasks {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::ThrowsMessage;

// Two heads over three tokens. Queries 1 and 2 have targets, query 0 none.
TEST(WeightOn, IsTheMeanOverQueriesThatHaveATarget) {
  const Tensor weights = from_vector({1, 0, 0, 0.25, 0.75, 0, 0.5, 0.25, 0.25,  //
                                      1, 0, 0, 1, 0, 0, 0, 0, 1},
                                     {1, 2, 3, 3}, DType::kFloat64);
  const Tensor targets = from_vector({0, 0, 0, 1, 0, 0, 1, 1, 0}, {1, 3, 3}, DType::kBool);
  EXPECT_THAT(weight_on(weights, targets), ElementsAre(DoubleEq(0.5), DoubleEq(0.5)));
  EXPECT_DOUBLE_EQ(even_weight_on(targets), (1.0 / 2 + 2.0 / 3) / 2);
  const Tensor none = zeros({1, 3, 3}, DType::kBool);
  EXPECT_TRUE(std::isnan(weight_on(weights, none)[0]));
}

TEST(WeightOnError, NamesShapesAndDtypes) {
  EXPECT_THAT(
      [] {
        weight_on(zeros({1, 2, 3, 3}), zeros({1, 3, 3}));
      },
      ThrowsMessage<std::invalid_argument>("weight_on: expected bool targets, got float32"));
  EXPECT_THAT(
      [] {
        weight_on(zeros({1, 2, 3, 3}), zeros({2, 3, 3}, DType::kBool));
      },
      ThrowsMessage<ShapeError>("weight_on: expected weights [B, H, T, S] and targets [B, "
                                "T, S], got [1, 2, 3, 3] and [2, 3, 3]; weights=[1, 2, 3, "
                                "3] targets=[2, 3, 3]"));
}

TEST(PreviousKey, BeginsWithTheGivenQuery) {
  EXPECT_THAT(previous_key(1, 3, 0).to_vector(), ElementsAre(0, 0, 0, 1, 0, 0, 0, 1, 0));
  EXPECT_THAT(previous_key(1, 3, 2).to_vector(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 0));
  EXPECT_THAT(best_head({0.2, 0.5, 0.1}), 0.5);
}

}  // namespace
}  // namespace gradwalk::tasks
