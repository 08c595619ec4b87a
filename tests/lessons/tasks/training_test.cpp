#include "lessons/tasks/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "nn/linear.h"

namespace gradwalk::tasks {
namespace {

using testing::ElementsAre;

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

// A loss below 0 once ended a training that had not asked for an end.
TEST(Train, RunsToTheEndWhateverTheSignOfTheLoss) {
  const nn::Linear model(1, 1, nn::Seed(1));
  EXPECT_EQ(train(model, model.parameters(), {.updates = 2 * kLossWindow},
                  [&] { return sum(model.weight() * model.weight()) - 100.0; })
                .size(),
            2U * kLossWindow);
}

TEST(Train, EndsOnceTheLossIsLowEnough) {
  const nn::Linear model(3, 2, nn::Seed(1), {.bias = false, .init = {nn::InitScheme::kOnes, 1}});
  const auto loss = [&] { return sum(model.weight() * model.weight()); };
  const std::vector<double> losses =
      train(model, model.parameters(),
            {.updates = 300, .lr = 0.01, .optimizer = Optimizer::kSgd, .until = 3}, loss);
  // w falls by 0.98 an update, so that the loss is 6 * 0.98^(2 t).
  EXPECT_NEAR(losses[1], 6 * 0.98 * 0.98, 1e-5);
  EXPECT_EQ(static_cast<int>(losses.size()), steps_below(losses, 3));
  EXPECT_EQ(steps_below(losses, 3), 29);
}

TEST(StepsBelow, IsTheFirstUpdateWhoseMeanIsBelow) {
  EXPECT_EQ(steps_below({3, 1, 1, 1}, 2, 2), 3) << "the mean of 3 and 1 is not below 2";
  EXPECT_EQ(steps_below({0, 0}, 1, 3), 0) << "too few losses";
  EXPECT_EQ(steps_below({3, 3, 3}, 1, 2), 0);
  EXPECT_THAT(moving_mean({4, 2, 0, 1}, 2), ElementsAre(4, 3, 1, 0.5));
}

}  // namespace
}  // namespace gradwalk::tasks
