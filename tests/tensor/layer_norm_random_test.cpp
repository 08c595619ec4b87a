// layer_norm against the naive loops, over random cases; layer_norm_test.cpp has the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/layer_norm.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEpsilon64 = std::numeric_limits<double>::epsilon();
constexpr double kDenormal64 = std::numeric_limits<double>::denorm_min();

// One random call.
struct Call {
  Tensor x, gamma, beta, dy;
  double eps = 0;

  explicit Call(RandomCase& c) {
    Shape shape = c.shape(1, 3);
    if (shape[-1] == 0) shape.set(-1, 5);  // rows without features have a test of their own
    x = c.tensor(shape);
    dy = c.tensor(shape);
    const bool finite = c.values() != Values::kInfinite && c.values() != Values::kNan;
    const Values features = finite ? c.values() : Values::kPlain;
    if (c.below(4) > 0) gamma = c.tensor({shape[-1]}, c.dtype(), features);
    if (c.below(4) > 0) beta = c.tensor({shape[-1]}, c.dtype(), features);
    constexpr double kEps[] = {1e-5, 1e-12, 0.5};
    eps = kEps[c.below(3)];
  }
};

// x as rows, and by how much xhat may be off in each: the mean by n roundings of the largest
// element, which 1 / std magnifies; the variance and the root by n more of xhat itself.
struct Rows {
  std::size_t width;
  std::vector<double> xhat, rstd, slack;

  Rows(const Tensor& x, double eps) : width(static_cast<std::size_t>(x.shape()[-1])) {
    const LayerNormResult result = layer_norm_with_statistics(to(x, DType::kFloat64), {}, {}, eps);
    xhat = result.y.to_vector();
    rstd = result.rstd.to_vector();
    const std::vector<double> sizes = test::finite_sizes(x).to_vector();
    const auto n = static_cast<double>(width);
    for (std::size_t row = 0; row < rstd.size(); ++row) {
      const double* own = sizes.data() + row * width;
      const double largest = *std::max_element(own, own + width);
      const bool overflows = n * largest * largest > std::numeric_limits<double>::max();
      slack.push_back(overflows ? kInf : (n + 8) * kEpsilon64 * (1 + largest * rstd[row]));
    }
  }
  std::size_t row_of(std::size_t i) const { return i / width; }
  // Of a row whose squares overflow nothing is claimed.
  bool overflows(std::size_t i) const { return std::isinf(slack[row_of(i)]); }
  // How far xhat_i may be off.
  double error(std::size_t i) const { return 4 * slack[row_of(i)] * (1 + std::abs(xhat[i])); }
};

std::vector<double> or_else(const Tensor& x, std::size_t width, double other) {
  return x.defined() ? x.to_vector() : std::vector<double>(width, other);
}

Tensor like(const std::vector<double>& values, const Tensor& x) {
  return from_vector(values, x.shape(), DType::kFloat64);
}

// Adds what rounding a sum of these sizes to the dtype brings; claims nothing where they leave its
// range.
Tensor rounded(const std::vector<double>& errors, const std::vector<double>& sizes,
               const Tensor& x) {
  return like(errors, x) + test::sum_bound(like(sizes, x), x.dtype(), 4);
}

bool any_nonfinite(const Tensor& x) {
  const std::vector<double> values = x.to_vector();
  return std::any_of(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
}

TEST(LayerNorm, EqualsTheReference) {
  for_each_case("layer_norm", 420, [](RandomCase& c) {
    const Call call(c);
    const Tensor y = layer_norm(call.x, call.gamma, call.beta, call.eps);
    const Tensor want = reference::layer_norm(call.x, call.gamma, call.beta, call.eps);
    const Rows rows(call.x, call.eps);
    const std::vector<double> gamma = or_else(call.gamma, rows.width, 1);
    const std::vector<double> beta = or_else(call.beta, rows.width, 0);
    std::vector<double> errors, sizes;
    for (std::size_t i = 0; i < rows.xhat.size(); ++i) {
      const double scale = std::abs(gamma[i % rows.width]);
      errors.push_back(rows.overflows(i) ? kInf : scale * rows.error(i));
      sizes.push_back(scale * std::abs(rows.xhat[i]) + std::abs(beta[i % rows.width]));
    }
    EXPECT_EQ(test::difference(y, want, rounded(errors, sizes, call.x)), "");
    EXPECT_EQ(y.dtype(), call.x.dtype());
  });
}

// In a row, dx has the size of rstd (|g| + mean |g| + |xhat| mean |g xhat|).
TEST(LayerNormBackward, DxEqualsTheReference) {
  for_each_case("layer_norm_backward dx", 420, [](RandomCase& c) {
    const Call call(c);
    const LayerNormResult forward =
        layer_norm_with_statistics(call.x, call.gamma, call.beta, call.eps);
    const Tensor dx =
        layer_norm_backward(call.x, call.gamma, forward.mean, forward.rstd, call.dy).dx;
    const Rows rows(call.x, call.eps);
    const std::vector<double> gamma = or_else(call.gamma, rows.width, 1);
    const std::vector<double> dy = call.dy.to_vector();
    const std::vector<double> got = dx.to_vector();
    std::vector<double> errors(dy.size()), sizes(dy.size());
    for (std::size_t row = 0; row < rows.rstd.size(); ++row) {
      const std::size_t begin = row * rows.width;
      bool finite = true;
      double sum_g = 0, sum_g_xhat = 0;
      for (std::size_t i = begin; i < begin + rows.width; ++i) {
        const double g = std::abs(gamma[i - begin] * dy[i]);
        finite = finite && std::isfinite(dy[i]);
        sum_g += g;
        sum_g_xhat += g * std::abs(rows.xhat[i]);
      }
      const auto n = static_cast<double>(rows.width);
      for (std::size_t i = begin; i < begin + rows.width; ++i) {
        const double g = std::abs(gamma[i - begin] * dy[i]);
        sizes[i] = rows.rstd[row] * (g + sum_g / n + std::abs(rows.xhat[i]) * sum_g_xhat / n);
        // What is rounded among denormals is multiplied by rstd afterwards.
        // What is rounded among denormals is multiplied by rstd afterwards.
        errors[i] = 8 * rows.slack[row] * sizes[i] +
                    2 * rows.rstd[row] * (rows.error(i) * sum_g + n * kDenormal64);
        if (!finite || rows.overflows(i)) errors[i] = kInf;
        if (!finite) {
          EXPECT_FALSE(std::isfinite(got[i])) << i;
        }
      }
    }
    const Tensor want = reference::layer_norm_backward(call.x, call.gamma, call.eps, call.dy).dx;
    EXPECT_EQ(test::difference(dx, want, rounded(errors, sizes, call.x)), "");
  });
}

TEST(LayerNormBackward, ParametersEqualTheReference) {
  for_each_case("layer_norm_backward parameters", 420, [](RandomCase& c) {
    const Call call(c);
    const LayerNormResult forward =
        layer_norm_with_statistics(call.x, call.gamma, call.beta, call.eps);
    const LayerNormGrads got =
        layer_norm_backward(call.x, call.gamma, forward.mean, forward.rstd, call.dy);
    const LayerNormGrads want =
        reference::layer_norm_backward(call.x, call.gamma, call.eps, call.dy);
    const Rows rows(call.x, call.eps);
    const std::vector<double> dy = call.dy.to_vector();
    const auto count = static_cast<double>(rows.rstd.size());
    std::vector<double> errors(rows.width), sizes(rows.width), beta_sizes(rows.width);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const double size = std::abs(dy[i] * rows.xhat[i]);
      const double error = std::abs(dy[i]) * rows.error(i) + count * kEpsilon64 * size;
      // inf times an xhat that is 0 or nearly so: NaN or inf
      errors[i % rows.width] += std::isfinite(dy[i]) && !rows.overflows(i) ? error : kInf;
      sizes[i % rows.width] += std::isfinite(size) ? size : 0;
      beta_sizes[i % rows.width] += std::isfinite(dy[i]) ? std::abs(dy[i]) : 0;
    }
    EXPECT_EQ(test::difference(got.dgamma, want.dgamma, rounded(errors, sizes, got.dgamma)), "");
    const std::vector<double> zero(rows.width);
    EXPECT_EQ(
        test::difference(got.dbeta, want.dbeta,
                         rounded(zero, beta_sizes, got.dbeta) +
                             test::sum_bound(like(beta_sizes, got.dbeta), DType::kFloat64, count)),
        "");
    if (any_nonfinite(call.dy)) {
      EXPECT_TRUE(any_nonfinite(got.dgamma));
    }
  });
}

}  // namespace
}  // namespace gradwalk
