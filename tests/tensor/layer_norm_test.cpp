#include "tensor/layer_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

LayerNormGrads gradients(const Tensor& x, const Tensor& gamma, double eps, const Tensor& dy) {
  const LayerNormResult forward = layer_norm_with_statistics(x, gamma, {}, eps);
  return layer_norm_backward(x, gamma, forward.mean, forward.rstd, dy);
}

// Mean 2, deviations -1, 1, variance 1: with eps = 3 the root is 2.
TEST(LayerNorm, SmallCasesByHand) {
  const Tensor x = matrix({{1, 3}}, DType::kFloat64);
  const Tensor gamma = vector({2, 4}, DType::kFloat64);
  const Tensor beta = vector({10, 20}, DType::kFloat64);
  EXPECT_THAT(layer_norm(x, {}, {}, 3).to_vector(), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(layer_norm(x, gamma, {}, 3).to_vector(), ElementsAre(-1, 2));
  EXPECT_THAT(layer_norm(x, {}, beta, 3).to_vector(), ElementsAre(9.5, 20.5));
  EXPECT_THAT(layer_norm(x, gamma, beta, 3).to_vector(), ElementsAre(9, 22));
  const LayerNormResult result = layer_norm_with_statistics(x, gamma, beta, 3);
  EXPECT_THAT(result.mean.to_vector(), ElementsAre(2));
  EXPECT_THAT(result.rstd.to_vector(), ElementsAre(0.5));
  EXPECT_EQ(result.mean.shape(), Shape({1}));
  // g = (2, 0), mean(g) = 1, mean(g xhat) = -1/2: dx = (1/2) (g - 1 + xhat / 2)
  const LayerNormGrads grads = gradients(x, gamma, 3, matrix({{1, 0}}, DType::kFloat64));
  EXPECT_THAT(grads.dx.to_vector(), ElementsAre(0.375, -0.375));
  EXPECT_THAT(grads.dgamma.to_vector(), ElementsAre(-0.5, 0));
  EXPECT_THAT(grads.dbeta.to_vector(), ElementsAre(1, 0));
}

TEST(LayerNorm, RowsHaveMeanZeroAndVarianceOne) {
  Generator generator(3, "rows");
  const Tensor x = normal({5, 7, 33}, generator, DType::kFloat64) * 4.0 + 9.0;
  const Tensor y = layer_norm(x, {}, {}, 0);
  for (const double value : mean(y, -1).to_vector()) EXPECT_NEAR(value, 0, 1e-14);
  for (const double value : mean(y * y, -1).to_vector()) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_EQ(test::difference(layer_norm(x * 2.0 - 7.0, {}, {}, 0), y, 0, 1e-13), "");
}

// A variance as mean(x^2) - mean(x)^2 in float32 subtracts two numbers near 1e8 and came out as 0
// or below: nothing of these rows was left (BR-18).
TEST(LayerNorm, RowsFarFromZero) {
  const auto report = test::bug_report("BR-18");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const auto read = [&](const char* name) { return test::tensor_from(in[name], DType::kFloat32); };
  const double eps = in["eps"].get<double>();
  EXPECT_EQ(test::difference(layer_norm(read("x"), read("gamma"), read("beta"), eps),
                             test::tensor_from(report["expected"]["out"]), 1e-4, 1e-4),
            "");
  const LayerNormGrads grads = gradients(read("x"), read("gamma"), eps, read("upstream"));
  EXPECT_EQ(test::difference(grads.dx, test::tensor_from(report["expected"]["grad_x"]), 1e-4, 1e-6),
            "");
}

// The mean 2^24 + 1/2 is no float32; saved as one it would move xhat by a quarter.
TEST(LayerNorm, StatisticsKeepTheirDigits) {
  const Tensor x = vector({16777214, 16777216, 16777216, 16777220});  // mean 16777216.5
  const LayerNormResult result = layer_norm_with_statistics(x, {}, {}, 1e-5);
  EXPECT_EQ(result.mean.dtype(), DType::kFloat64);
  EXPECT_EQ(result.mean.item(), 16777216.5);
  EXPECT_NEAR(result.y.at({0}), -2.5 / std::sqrt(4.75 + 1e-5), 1e-6);
}

// An eps outside the root, or a variance divided by n - 1, agrees to several digits while eps is
// small and passed loose tests. A large eps tells them apart (BR-19).
TEST(LayerNorm, PlaceOfEpsAndDivisor) {
  const auto report = test::bug_report("BR-19");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& expected = report["expected"];
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double rtol = dtype == DType::kFloat64 ? 1e-9 : 1e-5;
    const double atol = dtype == DType::kFloat64 ? 1e-11 : 1e-6;
    const auto read = [&](const char* name) {
      return test::tensor_from(report["inputs"][name], dtype);
    };
    const Tensor y = layer_norm(read("x"), read("gamma"), read("beta"), 0.5);
    EXPECT_EQ(test::difference(y, test::tensor_from(expected["out"]), rtol, atol), "");
    const LayerNormGrads grads = gradients(read("x"), read("gamma"), 0.5, read("upstream"));
    const auto holds = [&](const Tensor& got, const char* name) {
      EXPECT_EQ(test::difference(got, test::tensor_from(expected[name]), rtol, atol), "") << name;
    };
    holds(grads.dx, "grad_x");
    holds(grads.dgamma, "grad_gamma");
    holds(grads.dbeta, "grad_beta");
  }
}

TEST(LayerNorm, EqualElementsGiveBeta) {
  const Tensor beta = vector({1, 2, 3});
  EXPECT_THAT(layer_norm(full({2, 3}, 7), vector({5, 5, 5}), beta).to_vector(),
              ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(layer_norm(full({4, 1}, 1e30)).to_vector(), Each(0));  // one feature: always so
  EXPECT_THAT(gradients(full({2, 1}, 7), {}, 1e-5, ones({2, 1})).dx.to_vector(), Each(0));
  EXPECT_THAT(layer_norm(full({2}, 7), {}, {}, 0).to_vector(), Each(IsNan()));
}

// A NaN in one row must be seen in it and touch no other, whatever vectors of rows the kernel works
// on (BR-36).
TEST(LayerNorm, NanStaysInItsRow) {
  const Tensor x = matrix({{1, 3}, {std::nan(""), 1}, {kInf, 1}});
  const Tensor y = layer_norm(x, {}, {}, 3);
  EXPECT_THAT(select(y, 0, 0).to_vector(), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(slice(y, 0, 1, 3).to_vector(), Each(IsNan()));
  const LayerNormGrads grads = gradients(x, {}, 3, ones({3, 2}));
  EXPECT_THAT(select(grads.dx, 0, 0).to_vector(), Each(0));
  EXPECT_THAT(slice(grads.dx, 0, 1, 3).to_vector(), Each(IsNan()));
}

TEST(LayerNorm, EmptyTensors) {
  EXPECT_EQ(layer_norm(zeros({0, 3}), ones({3}), ones({3})).shape(), Shape({0, 3}));
  EXPECT_EQ(layer_norm(zeros({2, 0}), zeros({0})).shape(), Shape({2, 0}));
  EXPECT_EQ(gradients(zeros({2, 0}), {}, 1e-5, zeros({2, 0})).dgamma.shape(), Shape({0}));
  const LayerNormGrads grads = gradients(zeros({0, 3}), ones({3}), 1e-5, zeros({0, 3}));
  EXPECT_EQ(grads.dx.shape(), Shape({0, 3}));
  EXPECT_THAT(grads.dgamma.to_vector(), ElementsAre(0, 0, 0));
  EXPECT_THAT(grads.dbeta.to_vector(), ElementsAre(0, 0, 0));
}

TEST(LayerNormError, NamesOpAndOperands) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { layer_norm(x, ones({2})); },
              ThrowsMessage<ShapeError>(
                  "layer_norm: expected gamma.shape == [3], got [2]; x=[2, 3] gamma=[2]"));
  EXPECT_THAT(
      [&] {
        layer_norm(x, {}, ones({1, 3}));
      },
      ThrowsMessage<ShapeError>(
          "layer_norm: expected beta.shape == [3], got [1, 3]; x=[2, 3] beta=[1, 3]"));
  EXPECT_THAT([&] { layer_norm(x, ones({3}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>(
                  "layer_norm: expected one dtype for x and gamma, got float32 and float64; "
                  "x=[2, 3] gamma=[3]"));
  EXPECT_THAT([&] { layer_norm(zeros({})); },
              ThrowsMessage<ShapeError>("layer_norm: expected x with ndim >= 1, got 0; x=[]"));
  EXPECT_THAT([&] { layer_norm(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>(
                  "layer_norm: expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT(
      [] { layer_norm(Tensor()); },
      ThrowsMessage<std::invalid_argument>("layer_norm: expected a tensor, got an undefined one"));
  const auto with_eps = [&](double eps) { return [&x, eps] { layer_norm(x, {}, {}, eps); }; };
  const std::string want = "layer_norm: expected a finite eps >= 0, got ";
  EXPECT_THAT(with_eps(-0.5), ThrowsMessage<std::invalid_argument>(want + "-0.5; x=[2, 3]"));
  EXPECT_THAT(with_eps(kInf), ThrowsMessage<std::invalid_argument>(want + "inf; x=[2, 3]"));
  EXPECT_THAT(with_eps(std::nan("")), ThrowsMessage<std::invalid_argument>(want + "nan; x=[2, 3]"));
  EXPECT_EQ(x.version(), version);
}

// In float32 the mean itself, 1000 and a bit, is 3e-5 off, which would be that much of xhat.
TEST(LayerNormBackward, RowsFarFromZero) {
  Generator generator(3, "far");
  const Tensor x = normal({8, 75}, generator) + 1000;
  const Tensor dy = normal({8, 75}, generator);
  const LayerNormGrads got = gradients(x, {}, 0, dy);
  const LayerNormGrads want = gradients(to(x, DType::kFloat64), {}, 0, to(dy, DType::kFloat64));
  EXPECT_EQ(test::difference(got.dx, want.dx, 0, 3e-6), "");
  EXPECT_EQ(test::difference(got.dgamma, want.dgamma, 0, 3e-6), "");
}

TEST(LayerNormError, BackwardChecksWhatItIsGiven) {
  const Tensor x = zeros({2, 3});
  const Tensor row = zeros({2}, DType::kFloat64);
  EXPECT_THAT(
      [&] {
        layer_norm_backward(x, {}, row, row, zeros({3, 2}));
      },
      ThrowsMessage<ShapeError>("layer_norm_backward: expected dy.shape == x.shape, got "
                                "[3, 2] and [2, 3]; x=[2, 3] dy=[3, 2]"));
  EXPECT_THAT(
      [&] {
        layer_norm_backward(x, {}, row, row, zeros({2, 3}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "layer_norm_backward: expected one dtype for x and dy, got float32 and "
          "float64; x=[2, 3] dy=[2, 3]"));
  EXPECT_THAT([&] { layer_norm_backward(x, {}, zeros({2}), row, x); },
              ThrowsMessage<ShapeError>("layer_norm_backward: expected mean [2] float64, got [2] "
                                        "float32; x=[2, 3] mean=[2]"));
  EXPECT_THAT([&] { layer_norm_backward(x, {}, row, zeros({3}, DType::kFloat64), x); },
              ThrowsMessage<ShapeError>("layer_norm_backward: expected rstd [2] float64, got [3] "
                                        "float64; x=[2, 3] rstd=[3]"));
  EXPECT_THROW(layer_norm_backward(x, {}, row, row, Tensor()), std::invalid_argument);
  EXPECT_THROW(layer_norm_backward(x, {}, Tensor(), row, x), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
