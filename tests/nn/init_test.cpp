#include "nn/init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

constexpr double kGain = 1.5;

Tensor drawn(InitScheme scheme, const Shape& shape = {300, 200}) {
  return initial(shape, {scheme, kGain}, Seed(4) / "weight", DType::kFloat64);
}

double largest(const Tensor& x) { return std::max(max(x).item(), -min(x).item()); }

// The standard error of a variance from n draws is variance * sqrt(2 / n) for normal ones, less for
// uniform ones; of a mean sqrt(variance / n). Five of them, and the seed is fixed.
void expect_variance(InitScheme scheme, double want) {
  const Tensor x = drawn(scheme);
  const auto n = static_cast<double>(x.numel());
  EXPECT_NEAR(var(x).item() / want, 1, 5 * std::sqrt(2 / n)) << name(scheme);
  EXPECT_NEAR(mean(x).item(), 0, 5 * std::sqrt(want / n)) << name(scheme);
}

TEST(Init, VariancesAreThoseOfThePapers) {
  constexpr double kOut = 300;
  constexpr double kIn = 200;
  constexpr double kSquare = kGain * kGain;
  expect_variance(InitScheme::kNormal, kSquare);
  expect_variance(InitScheme::kUniform, kSquare / 3);
  expect_variance(InitScheme::kXavierNormal, kSquare * 2 / (kIn + kOut));
  expect_variance(InitScheme::kXavierUniform, kSquare * 2 / (kIn + kOut));
  expect_variance(InitScheme::kKaimingNormal, kSquare / kIn);
  expect_variance(InitScheme::kKaimingUniform, kSquare / kIn);
  EXPECT_LE(largest(drawn(InitScheme::kUniform)), kGain);
  EXPECT_LE(largest(drawn(InitScheme::kKaimingUniform)), kGain * std::sqrt(3 / kIn));
  EXPECT_GT(largest(drawn(InitScheme::kKaimingNormal)), 2 * kGain * std::sqrt(3 / kIn) / 1.2);
}

TEST(Init, OrthogonalRowsOrColumns) {
  for (const Shape& shape : {Shape{5, 12}, Shape{12, 5}, Shape{7, 7}}) {
    const Tensor x = drawn(InitScheme::kOrthogonal, shape);
    const bool wide = shape[0] < shape[1];
    const Tensor gram = wide ? matmul(x, transpose(x)) : matmul(transpose(x), x);
    EXPECT_EQ(
        test::difference(gram, eye(std::min(shape[0], shape[1]), DType::kFloat64) * (kGain * kGain),
                         0, 1e-12),
        "")
        << shape.str();
  }
}

TEST(Init, ConstantsAndNames) {
  EXPECT_EQ(max(drawn(InitScheme::kZeros)).item(), 0);
  EXPECT_EQ(min(drawn(InitScheme::kOnes)).item(), 1);
  for (const char* scheme : {"zeros", "ones", "normal", "uniform", "xavier_normal",
                             "xavier_uniform", "kaiming_normal", "kaiming_uniform", "orthogonal"}) {
    EXPECT_STREQ(name(init_scheme(scheme)), scheme);
  }
}

// Each weight has a stream of its own, and float32 is the rounded float64.
TEST(Init, StreamsAreNamedByThePath) {
  const Init init{InitScheme::kNormal, 1};
  const Seed seed(4);
  const Tensor a = initial({8}, init, seed / "a", DType::kFloat64);
  EXPECT_NE(a.to_vector(), initial({8}, init, seed / "b", DType::kFloat64).to_vector());
  EXPECT_NE(a.to_vector(), initial({8}, init, Seed(5) / "a", DType::kFloat64).to_vector());
  EXPECT_EQ(a.to_vector(), initial({8}, init, Seed(4) / "a", DType::kFloat64).to_vector());
  EXPECT_EQ(to(a, DType::kFloat32).to_vector(), initial({8}, init, seed / "a").to_vector());
  EXPECT_EQ((seed / "layers" / "0").path(), "layers.0");
}

TEST(InitError, Texts) {
  EXPECT_THAT([] { init_scheme("glorot"); },
              ThrowsMessage<std::invalid_argument>(
                  "init_scheme: expected one of zeros, ones, normal, uniform, xavier_normal, "
                  "xavier_uniform, kaiming_normal, kaiming_uniform, orthogonal, got glorot"));
  EXPECT_THAT(
      [] {
        initial({2}, {InitScheme::kNormal, -1}, Seed(1));
      },
      ThrowsMessage<std::invalid_argument>(
          "initial: expected a finite gain >= 0, got -1; shape=[2]"));
  EXPECT_THAT(
      [] {
        initial({}, {InitScheme::kXavierNormal, 1}, Seed(1));
      },
      ThrowsMessage<ShapeError>("initial: expected ndim >= 1 for xavier_normal, got 0; shape=[]"));
}

}  // namespace
}  // namespace gradwalk::nn
