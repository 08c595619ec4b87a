#include "autograd/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
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
using In = const std::vector<Variable>&;

Tensor drawn(const Shape& shape) {
  Generator generator(11, "linear");
  return normal(shape, generator, DType::kFloat64);
}

Variable with_bias(In in) { return linear(in[0], in[1], in[2]); }
Variable without_bias(In in) { return linear(in[0], in[1]); }

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 3, 4});
  ops.push_back({"linear",
                 "",
                 [](test::OpInputs in) { return linear(in[0], in[1]); },
                 {x, test::random({5, 4})},
                 true});
  ops.push_back({"linear",
                 "bias",
                 [](test::OpInputs in) { return linear(in[0], in[1], in[2]); },
                 {x, test::random({5, 4}), test::random({5})},
                 true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"linear", {{4, 129, 257}, {515, 257}, {515}}, [](test::OpInputs in) {
                     return linear(in[0], in[1], in[2]);
                   }});
});

TEST(LinearGrad, MatchesCentralDifferences) {
  expect_gradient("linear", with_bias, {drawn({2, 3, 4}), drawn({5, 4}), drawn({5})});
  expect_gradient("linear", without_bias, {drawn({3, 4}), drawn({5, 4})});
  expect_gradient("linear", with_bias, {drawn({4}), drawn({1, 4}), drawn({1})});
  expect_gradient("linear", with_bias, {drawn({1, 1}), drawn({3, 1}), drawn({3})});
}

TEST(LinearGrad, MatchesOnViews) {
  // x: heads put last again, a slice with steps, and a row stretched over a batch.
  expect_gradient("linear", with_bias,
                  {permute(drawn({2, 4, 3}), {0, 2, 1}), transpose(drawn({4, 5})),
                   slice(drawn({10}), 0, 1, 10, 2)});
  expect_gradient("linear", without_bias,
                  {slice(drawn({3, 9}), 1, 1, 9, 2), slice(drawn({10, 4}), 0, 0, 10, 2)});
  expect_gradient(
      "linear", with_bias,
      {expand(drawn({1, 4}), {3, 4}), expand(drawn({1, 4}), {5, 4}), expand(drawn({1}), {5})});
}

TEST(LinearGrad, SharedInput) {
  expect_gradient("linear", [](In in) { return linear(in[0], in[0], select(in[0], 1, 0)); },
                  {drawn({3, 3})});
}

TEST(LinearGrad, EqualsItsParts) {
  const Tensor values[] = {drawn({2, 3, 4}), drawn({5, 4}), drawn({5})};
  const Tensor dy = drawn({2, 3, 5});
  std::vector<Variable> fused, parts;
  for (const Tensor& value : values) {
    fused.push_back(parameter(value));
    parts.push_back(parameter(value));
  }
  const Variable y = linear(fused[0], fused[1], fused[2]);
  const Variable want = matmul(parts[0], transpose(parts[1])) + parts[2];
  EXPECT_EQ(test::difference(y.value(), want.value(), 1e-14, 1e-14), "");
  backward(y, dy);
  backward(want, dy);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(test::difference(fused[i].grad(), parts[i].grad(), 1e-13, 1e-13), "");
  }
}

TEST(LinearGrad, NoRowsGiveZeroGradients) {
  const Variable x = parameter(zeros({0, 3})), weight = parameter(ones({2, 3}));
  const Variable bias = parameter(ones({2}));
  backward(linear(x, weight, bias), zeros({0, 2}));
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
  EXPECT_EQ(test::difference(weight.grad(), zeros({2, 3}), 0), "");
  EXPECT_EQ(test::difference(bias.grad(), zeros({2}), 0), "");
}

// A saved operand that was written to gave a gradient of the new values without a word. x and
// weight are saved, the bias is not (BR-09).
TEST(LinearGrad, Br09NoticesWritesToSavedValues) {
  for (const std::size_t written : {0U, 1U, 2U}) {
    const std::vector<Variable> in = {parameter(ones({4, 3})), parameter(ones({2, 3})),
                                      parameter(ones({2}))};
    const Variable y = with_bias(in);
    add_into(slice(in[written].value(), 0, 0, 1), 1);
    if (written == 2) {
      backward(y, ones({4, 2}));
      EXPECT_EQ(test::difference(in[2].grad(), full({2}, 4), 0), "");
      continue;
    }
    EXPECT_THAT(
        [&] {
          backward(y, ones({4, 2}));
        },
        ThrowsMessage<std::logic_error>(
            "linear: expected the value saved for backward unchanged, got 1 in-place write "
            "since; saved=" +
            in[written].shape().str()));
  }
}

TEST(LinearGrad, ErrorsAreThoseOfTheValue) {
  EXPECT_THAT(
      [] {
        linear(parameter(ones({4, 3})), parameter(ones({2, 4})));
      },
      ThrowsMessage<std::invalid_argument>(
          "linear: expected x.shape[-1] == weight.shape[1], got 3 and 4; "
          "x=[4, 3] weight=[2, 4]"));
  EXPECT_THAT(
      [] {
        linear(Variable(), parameter(ones({2, 4})));
      },
      ThrowsMessage<std::invalid_argument>("linear: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
