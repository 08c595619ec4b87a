#include "autograd/mse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "gradient_table.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(5, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  ops.push_back({"mse",
                 "",
                 [](test::OpInputs in) { return mse(in[0], in[1]); },
                 {test::random({2, 3}), test::positive({2, 3})},
                 true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"mse", {test::wide(), test::wide()}, [](test::OpInputs in) { return mse(in[0], in[1]); }});
});

TEST(MseGrad, OfBothInputs) {
  for (const LossReduction reduction : {LossReduction::kMean, LossReduction::kSum}) {
    const auto f = [reduction](Inputs in) { return mse(in[0], in[1], reduction); };
    expect_gradient("mse", f, {random({2, 3, 4}), permute(random({4, 3, 2}), {2, 1, 0})});
    expect_gradient("mse", f, {random({}), scalar(0.5, DType::kFloat64)});
    expect_gradient("mse", f, {slice(random({9}), 0, 1, 9, 2), expand(random({1}), {4})});
    expect_gradient("mse", f, {transpose(random({3, 2})), random({2, 3})});
  }
}

TEST(MseGrad, OfASharedInputIsZero) {
  const Variable x = parameter(random({3}));
  backward(mse(x, x));
  EXPECT_THAT(x.grad().to_vector(), Each(0));
}

TEST(MseGrad, OfNothingIsEmpty) {
  const Variable x = parameter(zeros({0, 2}));
  const Variable loss = mse(x, zeros({0, 2}));
  EXPECT_EQ(loss.value().item(), 0);
  backward(loss);
  EXPECT_EQ(x.grad().shape(), Shape({0, 2}));
}

TEST(MseGrad, ConstantsGetNone) {
  const Variable prediction = parameter(vector({1, 2}));
  const Variable target = vector({0, 4});
  backward(mse(prediction, target));
  EXPECT_THAT(prediction.grad().to_vector(), ElementsAre(1, -2));
  EXPECT_FALSE(target.grad().defined());
  const Variable other = parameter(vector({0, 4}));
  backward(mse(vector({1, 2}), other));
  EXPECT_THAT(other.grad().to_vector(), ElementsAre(-1, 2));
}

TEST(MseGrad, StaleInputsAreErrors) {
  const Variable prediction = parameter(random({3}));
  const Variable target = random({3});
  for (const Variable& written : {prediction, target}) {
    const Variable loss = mse(prediction, target);
    add_into(written.value(), 1);
    EXPECT_THAT([&] { backward(loss); },
                ThrowsMessage<std::logic_error>(
                    "mse: expected the value saved for backward unchanged, got 1 in-place write "
                    "since; saved=[3]"));
  }
}

}  // namespace
}  // namespace gradwalk
