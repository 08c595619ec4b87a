#include "tensor/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/linear.h"
#include "tensor/reference/matmul.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

struct Operands {
  Tensor x, weight, bias;
};

Operands drawn(RandomCase& c) {
  const std::int64_t inputs = c.below(c.below(4) == 0 ? 70 : 9);
  const std::int64_t outputs = c.below(c.below(4) == 0 ? 40 : 9);
  Shape shape = c.shape(0, 3);
  while (shape.numel() > 40) shape = c.shape(0, 3);
  shape.push_back(inputs);
  Operands operands{c.tensor(shape), c.tensor({outputs, inputs}), {}};
  if (c.below(3) > 0) operands.bias = c.tensor({outputs});
  return operands;
}

// As in matmul_test.cpp, and one rounding more for the bias.
TEST(Linear, EqualsTheReference) {
  for_each_case("linear", 350, [](RandomCase& c) {
    const auto [x, weight, bias] = drawn(c);
    const Tensor y = linear(x, weight, bias);
    const auto k = static_cast<double>(weight.shape()[1]);
    const double terms = k + k / 512 + 3;
    const Tensor sizes = reference::linear(test::finite_sizes(x), test::finite_sizes(weight),
                                           bias.defined() ? test::finite_sizes(bias) : Tensor());
    EXPECT_EQ(test::difference(y, reference::linear(x, weight, bias),
                               test::sum_bound(sizes, c.dtype(), terms)),
              "");
    EXPECT_EQ(y.dtype(), c.dtype());
    EXPECT_TRUE(y.is_contiguous());
  });
}

// [..., N] as [M, N].
Tensor as_matrix(const Tensor& x) {
  const std::int64_t width = x.shape()[-1];
  std::int64_t rows = 1;
  for (int axis = 0; axis < x.ndim() - 1; ++axis) rows *= x.shape()[axis];
  return reshape(contiguous(x), {rows, width});
}

TEST(Linear, BackwardEqualsItsFormulas) {
  for_each_case("linear_backward", 210, [](RandomCase& c) {
    const auto [x, weight, bias] = drawn(c);
    Shape shape = x.shape();
    shape.set(-1, weight.shape()[0]);
    const Tensor dy = c.tensor(shape);
    const LinearGrads grads = linear_backward(x, weight, dy);
    const auto expect = [&](const Tensor& got, const Tensor& a, const Tensor& b) {
      const Tensor want = reshape(reference::matmul(a, b), got.shape());
      const Tensor sizes = reference::matmul(test::finite_sizes(a), test::finite_sizes(b));
      const auto k = static_cast<double>(a.shape()[1]);
      const double terms = k + k / 512 + 2;
      const Tensor bound = test::sum_bound(sizes, c.dtype(), terms);
      EXPECT_EQ(test::difference(got, want, reshape(bound, got.shape())), "");
    };
    const Tensor dy_rows = as_matrix(dy);
    expect(grads.dx, dy_rows, weight);
    expect(grads.dweight, transpose(dy_rows), as_matrix(x));
    expect(grads.dbias, ones({1, dy_rows.shape()[0]}, c.dtype()), dy_rows);
  });
}

TEST(Linear, SmallCaseByHand) {
  const Tensor x = matrix({{1, 2}, {-1, 0.5}});
  const Tensor weight = matrix({{1, 0}, {3, -1}, {0, 2}});
  EXPECT_THAT(linear(x, weight).to_vector(), ElementsAre(1, 1, 4, -1, -3.5, 1));
  const Tensor y = linear(x, weight, vector({10, 20, 30}));
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_THAT(y.to_vector(), ElementsAre(11, 21, 34, 9, 16.5, 31));
  EXPECT_THAT(linear(vector({1, 2}), weight).to_vector(), ElementsAre(1, 1, 4));
}

TEST(Linear, WithoutInputsGivesTheBias) {
  const Tensor y = linear(zeros({2, 0}), zeros({3, 0}), vector({1, 2, 3}));
  EXPECT_THAT(y.to_vector(), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(linear(zeros({2, 0}), zeros({3, 0})).to_vector(), Each(0));
  EXPECT_EQ(linear(zeros({2, 3}), zeros({0, 3})).shape(), Shape({2, 0}));
}

// A batch without rows left the gradients of weight and bias unwritten, with what the memory held
// before. They are zeros (BR-32).
TEST(Linear, Br32NoRows) {
  const nlohmann::json report = test::bug_report("BR-32");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& linear_case = report["inputs"]["linear"];
  const auto& expected = report["expected"];
  const Tensor x = zeros({0, 3}, DType::kFloat64);
  ASSERT_EQ(linear_case["input_shape"], nlohmann::json({0, 3}));
  const Tensor weight = test::tensor_from(linear_case["weight"]);
  const Tensor y = linear(x, weight, test::tensor_from(linear_case["bias"]));
  ASSERT_EQ(expected["linear_out_shape"], nlohmann::json({0, 2}));
  EXPECT_EQ(y.shape(), Shape({0, 2}));
  const LinearGrads grads = linear_backward(x, weight, zeros({0, 2}, DType::kFloat64));
  EXPECT_EQ(grads.dx.shape(), Shape({0, 3}));
  EXPECT_EQ(test::difference(grads.dweight, test::tensor_from(expected["linear_grad_weight"]), 0),
            "");
  EXPECT_EQ(test::difference(grads.dbias, test::tensor_from(expected["linear_grad_bias"]), 0), "");
}

// The leading sizes of an empty tensor may multiply past 63 bits.
TEST(Linear, HugeLeadingSizesOfEmptyTensors) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const Tensor x = zeros({huge, huge, 0});
  const Tensor weight = zeros({0, 0});
  EXPECT_EQ(linear(x, weight).shape(), Shape({huge, huge, 0}));
  const LinearGrads grads = linear_backward(x, weight, zeros({huge, huge, 0}));
  EXPECT_EQ(grads.dx.shape(), x.shape());
  EXPECT_EQ(grads.dbias.shape(), Shape({0}));
}

TEST(LinearError, NamesOpOperandsAndShapes) {
  const Tensor x = ones({4, 3});
  const Tensor weight = ones({2, 3});
  EXPECT_THAT(
      [&] {
        linear(x, ones({3, 2}));
      },
      ThrowsMessage<ShapeError>("linear: expected x.shape[-1] == weight.shape[1], got 3 "
                                "and 2; x=[4, 3] weight=[3, 2]"));
  EXPECT_THAT([&] { linear(scalar(1), weight); },
              ThrowsMessage<ShapeError>("linear: expected x.ndim >= 1 and weight.ndim == 2, got 0 "
                                        "and 2; x=[] weight=[2, 3]"));
  EXPECT_THAT([&] { linear(x, ones({3})); },
              ThrowsMessage<ShapeError>("linear: expected x.ndim >= 1 and weight.ndim == 2, got 2 "
                                        "and 1; x=[4, 3] weight=[3]"));
  EXPECT_THAT([&] { linear(x, weight, ones({3})); },
              ThrowsMessage<ShapeError>("linear: expected bias.shape == [2], got [3]; "
                                        "weight=[2, 3] bias=[3]"));
  EXPECT_THAT([&] { linear(x, to(weight, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(
                  "linear: expected one dtype for x and weight, got float32 and float64; "
                  "x=[4, 3] weight=[2, 3]"));
  EXPECT_THAT([&] { linear(x, weight, ones({2}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(
                  "linear: expected one dtype for x and bias, got float32 and float64; "
                  "x=[4, 3] bias=[2]"));
  EXPECT_THAT([&] { linear(to(x, DType::kInt64), to(weight, DType::kInt64)); },
              ThrowsMessage<std::invalid_argument>(
                  "linear: expected float32 or float64, got int64; x=[4, 3] weight=[2, 3]"));
  for (const auto& call : {std::pair{Tensor(), weight}, std::pair{x, Tensor()}}) {
    EXPECT_THAT(
        [&] { linear(call.first, call.second); },
        ThrowsMessage<std::invalid_argument>("linear: expected a tensor, got an undefined one"));
  }
  EXPECT_THAT(
      [&] {
        linear_backward(x, weight, ones({4, 3}));
      },
      ThrowsMessage<ShapeError>("linear_backward: expected dy.shape == [4, 2], got [4, 3]; "
                                "x=[4, 3] weight=[2, 3] dy=[4, 3]"));
  EXPECT_THAT(
      [&] {
        linear_backward(x, weight, ones({4, 2}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "linear_backward: expected one dtype for x and dy, got float32 and float64; "
          "x=[4, 3] dy=[4, 2]"));
  EXPECT_THAT(x.to_vector(), Each(1));
  EXPECT_THAT(weight.to_vector(), Each(1));
}

}  // namespace
}  // namespace gradwalk
