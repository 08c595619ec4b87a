#include "lessons/tasks/module_weight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "nn/linear.h"
#include "tensor/inplace.h"

namespace gradwalk::tasks {
namespace {

TEST(WeightOf, IsTheModulesOwnStorage) {
  const nn::Linear linear(2, 3, nn::Seed(1));
  fill(weight_of(linear, "weight"), 7);
  EXPECT_EQ(linear.weight().value().at({2, 1}), 7);
  EXPECT_EQ(weight_of(linear, "bias").shape(), Shape{3});
}

TEST(WeightOfError, SaysTheName) {
  const nn::Linear linear(2, 3, nn::Seed(1));
  EXPECT_THAT([&] { weight_of(linear, "wait"); },
              testing::ThrowsMessage<std::out_of_range>("weight_of: the module has no wait"));
}

}  // namespace
}  // namespace gradwalk::tasks
