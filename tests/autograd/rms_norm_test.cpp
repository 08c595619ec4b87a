#include "autograd/rms_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(4, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

Variable both(Inputs in) { return rms_norm(in[0], in[1]); }

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 3, 4});
  ops.push_back({"rms_norm", "bare", [](test::OpInputs in) { return rms_norm(in[0]); }, {x}, true});
  ops.push_back({"rms_norm",
                 "gamma",
                 [](test::OpInputs in) { return rms_norm(in[0], in[1]); },
                 {x, test::random({4})},
                 true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"rms_norm", {test::wide(), {517}}, [](test::OpInputs in) {
                     return rms_norm(in[0], in[1]);
                   }});
});

TEST(RmsNormGrad, OfEveryInput) {
  expect_gradient("rms_norm", both, {random({2, 3, 5}), random({5})});
  expect_gradient("rms_norm", both, {random({3, 19}), random({19})});
  expect_gradient("rms_norm", [](Inputs in) { return rms_norm(in[0]); }, {random({7})});
  expect_gradient("rms_norm", [](Inputs in) { return rms_norm(in[0], in[1], 0.5); },
                  {random({3, 1}), random({1})});
  expect_gradient("rms_norm", [](Inputs in) { return rms_norm(in[0], Tensor(), 0.5); },
                  {random({2, 3})});
}

TEST(RmsNormGrad, OfStridedAndBroadcastInputs) {
  const Tensor feature = slice(random({9}), 0, 1, 9, 2);
  expect_gradient("rms_norm", both, {transpose(random({4, 3})), feature});
  expect_gradient("rms_norm", both, {slice(random({3, 8}), 1, 0, 8, 2), feature});
  expect_gradient("rms_norm", both, {expand(random({1, 4}), {3, 4}), expand(random({1}), {4})});
}

TEST(RmsNormGrad, OfASharedInput) {
  expect_gradient("rms_norm", [](Inputs in) { return rms_norm(in[0], in[0]); }, {random({6})});
}

// The fused op and its formula written with simpler ops.
TEST(RmsNormGrad, EqualsTheComposition) {
  const Tensor value = random({3, 5});
  const Tensor scale = random({5});
  const Variable x = parameter(clone(value));
  const Variable gamma = parameter(clone(scale));
  const Variable x2 = parameter(clone(value));
  const Variable gamma2 = parameter(clone(scale));
  const Variable fused = rms_norm(x, gamma, 0.25);
  const Variable root = sqrt(mean(mul(x2, x2), -1, /*keepdims=*/true) + 0.25);
  const Variable composed = mul(div(x2, root), gamma2);
  EXPECT_EQ(test::difference(fused.value(), composed.value(), 1e-14), "");
  const Tensor dy = random({3, 5});
  backward(fused, dy);
  backward(composed, dy);
  EXPECT_EQ(test::difference(x.grad(), x2.grad(), 1e-13, 1e-15), "");
  EXPECT_EQ(test::difference(gamma.grad(), gamma2.grad(), 1e-13, 1e-15), "");
}

TEST(RmsNormGrad, StaleInputsAreErrors) {
  const std::string text =
      "rms_norm: expected the value saved for backward unchanged, got 1 in-place write since; "
      "saved=";
  const Tensor dy = ones({2, 3}, DType::kFloat64);
  const Variable x = parameter(random({2, 3}));
  const Variable gamma = parameter(random({3}));
  const Variable first = rms_norm(x, gamma);
  add_into(select(x.value(), 1, 0), 1);
  EXPECT_THAT([&] { backward(first, dy); }, ThrowsMessage<std::logic_error>(text + "[2, 3]"));
  const Variable second = rms_norm(x, gamma);
  mul_into(gamma.value(), 2);
  EXPECT_THAT([&] { backward(second, dy); }, ThrowsMessage<std::logic_error>(text + "[3]"));
  EXPECT_FALSE(x.grad().defined() || gamma.grad().defined());
}

}  // namespace
}  // namespace gradwalk
