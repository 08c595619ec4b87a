#include "lessons/course/training.h"

#include <gtest/gtest.h>

#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "nn/linear.h"

namespace gradwalk::course {
namespace {

TEST(Train, DescendsAndMovesOnlyWhatItIsGiven) {
  const nn::Linear model(3, 2, nn::Seed(1), {.bias = true, .init = {nn::InitScheme::kNormal, 1}});
  int told = 0;
  const auto loss = [&] {
    const Variable& w = model.weight();
    return sum(w * w) + sum((model.bias() - 1.0) * (model.bias() - 1.0));
  };
  const std::vector<double> losses =
      train(model, {model.weight()},
            {.updates = 300, .lr = 0.1, .progress = [&](int done) { told = done; }}, loss);
  EXPECT_EQ(losses.size(), 300U);
  EXPECT_EQ(told, 300);
  EXPECT_GT(losses.front(), 2.1);
  EXPECT_NEAR(losses.back(), 2, 1e-3) << "the bias stays at 0";
}

TEST(Train, DoesNothingInNoUpdates) {
  const nn::Linear model(1, 1, nn::Seed(1));
  EXPECT_TRUE(train(model, model.parameters(), {.updates = 0}, [] { return Variable(); }).empty());
}

}  // namespace
}  // namespace gradwalk::course
