#include "nn/optim/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "tensor/create.h"

namespace gradwalk::nn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ThrowsMessage;

// Gradients (3, 0) and 4: together 5 long.
class Clip : public testing::Test {
 protected:
  void go_backward(double last) {
    const Tensor slopes = vector({3, 0}, DType::kFloat64);
    backward(sum(x_ * slopes) + y_ * last);
  }
  const Variable x_ = parameter(vector({1, 2}, DType::kFloat64));
  const Variable y_ = parameter(scalar(1, DType::kFloat64));
  const Variable idle_ = parameter(scalar(1, DType::kFloat64));
};

TEST_F(Clip, ScalesAllByOneFactor) {
  go_backward(4);
  EXPECT_DOUBLE_EQ(clip_grad_norm({x_, idle_, y_}, 2.5), 5);
  EXPECT_THAT(x_.grad().to_vector(), ElementsAre(DoubleNear(1.5, 1e-15), 0));
  EXPECT_DOUBLE_EQ(y_.grad().item(), 2);
  EXPECT_FALSE(idle_.grad().defined());
}

TEST_F(Clip, LeavesWhatIsShortEnough) {
  go_backward(4);
  EXPECT_DOUBLE_EQ(clip_grad_norm({x_, y_}, 5), 5);
  EXPECT_DOUBLE_EQ(clip_grad_norm({x_, y_}, 6), 5);
  EXPECT_EQ(y_.grad().item(), 4);
  EXPECT_EQ(clip_grad_norm({idle_}, 1), 0);
}

TEST_F(Clip, ANanStaysVisible) {
  go_backward(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(clip_grad_norm({x_, y_}, 1)));
  EXPECT_THAT(x_.grad().to_vector(), ElementsAre(3, 0));
}

TEST_F(Clip, WantsAPositiveNorm) {
  EXPECT_THAT([&] { clip_grad_norm({x_}, 0); },
              ThrowsMessage<std::invalid_argument>("clip_grad_norm: expected max_norm > 0, got 0"));
}

}  // namespace
}  // namespace gradwalk::nn
