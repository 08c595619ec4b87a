#include "tensor/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/reference/activation.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Value = Tensor (*)(const Tensor&);
using Backward = Tensor (*)(const Tensor&, const Tensor&);

struct Activation {
  const char* name;
  const char* op;     // as errors call it
  const char* saved;  // what the backward takes
  Value ours, reference;
  Backward backward, reference_backward;
};

Tensor gelu_erf(const Tensor& x) { return gelu(x); }
Tensor gelu_tanh(const Tensor& x) { return gelu(x, GeluForm::kTanh); }
Tensor reference_gelu_erf(const Tensor& x) { return reference::gelu(x); }
Tensor reference_gelu_tanh(const Tensor& x) { return reference::gelu(x, GeluForm::kTanh); }
Tensor gelu_erf_backward(const Tensor& x, const Tensor& dy) { return gelu_backward(x, dy); }
Tensor gelu_tanh_backward(const Tensor& x, const Tensor& dy) {
  return gelu_backward(x, dy, GeluForm::kTanh);
}
Tensor reference_gelu_erf_backward(const Tensor& x, const Tensor& dy) {
  return reference::gelu_backward(x, dy);
}
Tensor reference_gelu_tanh_backward(const Tensor& x, const Tensor& dy) {
  return reference::gelu_backward(x, dy, GeluForm::kTanh);
}

constexpr Activation kActivations[] = {
    {"tanh", "tanh", "y", tanh, reference::tanh, tanh_backward, reference::tanh_backward},
    {"sigmoid", "sigmoid", "y", sigmoid, reference::sigmoid, sigmoid_backward,
     reference::sigmoid_backward},
    {"relu", "relu", "y", relu, reference::relu, relu_backward, reference::relu_backward},
    {"gelu_erf", "gelu", "x", gelu_erf, reference_gelu_erf, gelu_erf_backward,
     reference_gelu_erf_backward},
    {"gelu_tanh", "gelu", "x", gelu_tanh, reference_gelu_tanh, gelu_tanh_backward,
     reference_gelu_tanh_backward},
    {"silu", "silu", "x", silu, reference::silu, silu_backward, reference::silu_backward},
    {"softplus", "softplus", "x", softplus, reference::softplus, softplus_backward,
     reference::softplus_backward}};

class ActivationTest : public testing::TestWithParam<Activation> {};

INSTANTIATE_TEST_SUITE_P(All, ActivationTest, testing::ValuesIn(kActivations),
                         [](const auto& param) { return std::string(param.param.name); });

constexpr double kRoundings = 4;

// A factor that underflows has an absolute error of the smallest denormal number, which others
// carry on: x, dy, and the slope of an exponent, at most 105 before the exponential is 0 (gelu_tanh
// at x = -22, in float64).
constexpr double kSteepest = 105;

// What a computation in `dtype` may be off: a few roundings of the result and of its summands, and
// as much as the result moves when x moves by as many (the argument of an exponential is rounded
// too: far out, that is what counts). `f` is exact, `carries` what an underflow is multiplied with.
template <class F>
Tensor rounding_bound(F f, const Tensor& x, DType dtype, const Tensor& summands,
                      const Tensor& carries) {
  const bool narrow = dtype == DType::kFloat32;
  const double epsilon =
      narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double denormal =
      narrow ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  const Tensor y = f(x);
  const Tensor up = test::finite_sizes(f(x * (1 + kRoundings * epsilon)) - y);
  const Tensor down = test::finite_sizes(f(x * (1 - kRoundings * epsilon)) - y);
  return test::sum_bound(test::finite_sizes(y) + test::finite_sizes(summands), dtype, kRoundings) +
         up + down + test::finite_sizes(carries) * (kSteepest * denormal);
}

void expect_value(const Activation& op, const Tensor& x) {
  const Tensor wide = to(x, DType::kFloat64);
  const Tensor none = zeros(x.shape(), DType::kFloat64);
  const Tensor bound = rounding_bound(op.reference, wide, x.dtype(), none, wide);
  const Tensor y = op.ours(x);
  EXPECT_EQ(test::difference(y, op.reference(x), bound), "");
  EXPECT_EQ(y.dtype(), x.dtype());
  EXPECT_TRUE(y.is_contiguous());
}

void expect_backward(const Activation& op, const Tensor& saved, const Tensor& dy) {
  const Tensor wide = to(saved, DType::kFloat64);
  const Tensor wide_dy = to(dy, DType::kFloat64);
  // The derivative of y = x s is the sum s + x s', whose parts cancel where it has its zero.
  const Tensor summands =
      *op.saved == 'x' ? wide_dy * (op.reference(wide) / wide) : zeros(dy.shape(), DType::kFloat64);
  const auto f = [&](const Tensor& at) { return op.reference_backward(at, wide_dy); };
  const Tensor bound = rounding_bound(f, wide, dy.dtype(), summands, wide * wide_dy);
  EXPECT_EQ(test::difference(op.backward(saved, dy), op.reference_backward(saved, dy), bound), "");
}

TEST_P(ActivationTest, EqualsTheReference) {
  for_each_case(GetParam().name, 280,
                [&](RandomCase& c) { expect_value(GetParam(), c.tensor(c.shape())); });
}

TEST_P(ActivationTest, BackwardEqualsTheReference) {
  for_each_case(std::string(GetParam().name) + "_backward", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor saved = c.tensor(shape);
    const Tensor dy = c.tensor(shape);
    expect_backward(GetParam(), saved, dy);
  });
}

// Random values are seldom larger than 3; the tails down to the last denormal number are met here.
TEST_P(ActivationTest, EqualsTheReferenceOverAllThatDoesNotUnderflow) {
  for (const auto& [dtype, last] : {std::pair{DType::kFloat32, 110.0}, {DType::kFloat64, 760.0}}) {
    std::vector<double> points;
    for (int i = -5000; i <= 5000; ++i) points.push_back(last * i / 5000);
    const Tensor x = from_vector(points, {10001}, dtype);
    expect_value(GetParam(), x);
    const Tensor dy = full({10001}, -1.5, dtype);
    expect_backward(GetParam(), *GetParam().saved == 'y' ? GetParam().ours(x) : x, dy);
  }
}

// A NaN vanished where a comparison with it chose the other operand. It is seen, and touches no
// neighbour in its vector (BR-36).
TEST_P(ActivationTest, NanStaysVisibleAndAlone) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor x = vector({0.5, std::nan(""), 0.25}, dtype);
    const std::vector<double> y = GetParam().ours(x).to_vector();
    const std::vector<double> dx = GetParam().backward(x, ones({3}, dtype)).to_vector();
    for (const std::vector<double>& result : {y, dx}) {
      EXPECT_TRUE(std::isfinite(result[0]));
      EXPECT_TRUE(std::isnan(result[1]));
      EXPECT_TRUE(std::isfinite(result[2]));
    }
  }
}

TEST_P(ActivationTest, ErrorsNameOpAndOperandsAndLeaveThem) {
  const Activation op = GetParam();
  const std::string name = op.op;
  const std::string saved = op.saved;
  EXPECT_THAT([&] { op.ours(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                              name + ": expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { op.ours(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>(
                  name + ": expected float32 or float64, got int64; x=[3]"));
  EXPECT_THROW(op.ours(ones({2}, DType::kBool)), std::invalid_argument);

  const Tensor x = matrix({{1, 2, 3}});
  const std::string backward = name + "_backward: expected ";
  EXPECT_THAT([&] { op.backward(x, Tensor()); },
              ThrowsMessage<std::invalid_argument>(backward + "a tensor, got an undefined one"));
  EXPECT_THAT([&] { op.backward(Tensor(), x); },
              ThrowsMessage<std::invalid_argument>(backward + "a tensor, got an undefined one"));
  EXPECT_THAT(
      [&] {
        op.backward(x, ones({1, 3}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(backward + "one dtype for " + saved +
                                           " and dy, got float32 and float64; " + saved +
                                           "=[1, 3] dy=[1, 3]"));
  EXPECT_THAT([&] { op.backward(arange(0, 2), arange(0, 2)); },
              ThrowsMessage<std::invalid_argument>(backward + "float32 or float64, got int64; " +
                                                   saved + "=[2] dy=[2]"));
  // A gradient does not broadcast: it has the shape of the value.
  EXPECT_THAT([&] { op.backward(x, ones({3})); },
              ThrowsMessage<ShapeError>(backward + "dy.shape == " + saved +
                                        ".shape, got [3] and [1, 3]; " + saved + "=[1, 3] dy=[3]"));
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3));
  EXPECT_EQ(x.version(), matrix({{1, 2, 3}}).version());
}

TEST_P(ActivationTest, EmptyAndZeroDimensional) {
  EXPECT_EQ(GetParam().ours(zeros({2, 0})).shape(), Shape({2, 0}));
  EXPECT_EQ(GetParam().backward(zeros({2, 0}), zeros({2, 0})).shape(), Shape({2, 0}));
  EXPECT_EQ(GetParam().ours(scalar(1)).ndim(), 0);
}

}  // namespace
}  // namespace gradwalk
