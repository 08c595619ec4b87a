#include "tensor/linalg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::SizeIs;
using testing::ThrowsMessage;

Tensor identity(std::int64_t n) {
  Tensor x = zeros({n, n}, DType::kFloat64);
  std::vector<double> values = x.to_vector();
  for (std::int64_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i * n + i)] = 1;
  return from_vector(values, {n, n}, DType::kFloat64);
}

// u diag(s) vt is x to rounding, u and v have orthonormal columns, s falls and is not negative.
void expect_svd(const Tensor& x) {
  const Svd d = svd(x);
  const std::int64_t k = std::min(x.shape()[0], x.shape()[1]);
  ASSERT_EQ(d.u.shape(), Shape({x.shape()[0], k}));
  ASSERT_EQ(d.s.shape(), Shape({k}));
  ASSERT_EQ(d.vt.shape(), Shape({k, x.shape()[1]}));
  EXPECT_EQ(d.u.dtype(), x.dtype());
  const double largest = x.numel() == 0 ? 0 : max(test::finite_sizes(x)).item();
  const double epsilon = x.dtype() == DType::kFloat32 ? 0x1p-23 : 0x1p-52;
  const auto size = static_cast<double>(x.shape()[0] + x.shape()[1]);
  const Tensor product = reference::matmul(to(d.u, DType::kFloat64) * to(d.s, DType::kFloat64),
                                           to(d.vt, DType::kFloat64));
  EXPECT_EQ(test::difference(product, to(x, DType::kFloat64), 0, 4 * size * epsilon * largest), "");
  EXPECT_EQ(
      test::difference(reference::matmul(transpose(d.u), d.u), identity(k), 0, 4 * size * epsilon),
      "");
  EXPECT_EQ(test::difference(reference::matmul(d.vt, transpose(d.vt)), identity(k), 0,
                             4 * size * epsilon),
            "");
  const std::vector<double> s = d.s.to_vector();
  for (std::size_t i = 0; i < s.size(); ++i) {
    EXPECT_GE(s[i], 0);
    EXPECT_LE(s[i], s[i == 0 ? 0 : i - 1]);
  }
}

TEST(Svd, HoldsForRandomMatrices) {
  for_each_case("svd", 200, [](RandomCase& c) {
    const bool finite = c.values() != Values::kInfinite && c.values() != Values::kNan &&
                        c.values() != Values::kDenormal;
    const Shape shape = {c.below(9), c.below(9)};
    // The largest singular value of huge elements must itself fit.
    const Tensor x = c.tensor(shape, c.dtype(), finite ? c.values() : Values::kPlain);
    expect_svd(c.values() == Values::kHuge ? x * 0x1p-5 : x);
  });
}

TEST(Svd, SingularValuesByHand) {
  // x^T x = [[25, 20], [20, 25]], with eigenvalues 45 and 5.
  const Svd d = svd(matrix({{3, 0}, {4, 5}}, DType::kFloat64));
  EXPECT_THAT(d.s.to_vector(),
              ElementsAre(DoubleNear(std::sqrt(45.0), 1e-14), DoubleNear(std::sqrt(5.0), 1e-14)));
  EXPECT_THAT(svd(matrix({{0, -7}, {2, 0}, {0, 0}}, DType::kFloat64)).s.to_vector(),
              ElementsAre(7, 2));
}

TEST(Svd, RankDeficientAndZeroMatricesKeepOrthonormalFactors) {
  expect_svd(matrix({{1, 2}, {2, 4}, {3, 6}}, DType::kFloat64));
  expect_svd(zeros({3, 2}, DType::kFloat64));
  expect_svd(ones({4, 4}, DType::kFloat64));
  EXPECT_NEAR(svd(ones({4, 4}, DType::kFloat64)).s.at({1}), 0, 1e-15);
}

TEST(Svd, EmptyMatrices) {
  expect_svd(zeros({3, 0}));
  expect_svd(zeros({0, 3}));
  expect_svd(zeros({0, 0}));
}

// The squares of these numbers leave float64's range: at 1e100 every pair of columns passed for
// orthogonal, at 1e-100 none ever did.
TEST(Svd, VeryLargeAndVerySmallMatrices) {
  for (const double scale : {1e100, 1e300, 1e-100, 1e-300}) {
    const Tensor x = matrix({{3, 0}, {4, 5}}, DType::kFloat64) * scale;
    const Svd d = svd(x);
    EXPECT_NEAR(d.s.at({0}) / scale, std::sqrt(45.0), 1e-13) << scale;
    EXPECT_NEAR(d.s.at({1}) / scale, std::sqrt(5.0), 1e-13) << scale;
    expect_svd(x);
  }
}

// The determinant is 1e-20 and the larger value sqrt(2): QR-based methods lose the smaller one.
TEST(Svd, SmallSingularValuesKeepTheirDigits) {
  const Svd d = svd(matrix({{1, 1e-20}, {1, 2e-20}}, DType::kFloat64));
  EXPECT_NEAR(d.s.at({1}) / (1e-20 / std::sqrt(2.0)), 1, 1e-14);
}

// Rounding in a long column must not keep the sweeps going to their bound.
TEST(Svd, SixtyColumnsOfFourHundred) {
  Generator generator(4, "svd");
  const Tensor x = normal({400, 60}, generator, DType::kFloat64);
  const Svd d = svd(x);
  double squares = 0;
  for (const double s : d.s.to_vector()) squares += s * s;
  EXPECT_NEAR(squares / sum(x * x).item(), 1, 1e-12);
}

TEST(SvdError, ShapesDTypesAndValues) {
  EXPECT_THAT([] { svd(zeros({3})); },
              ThrowsMessage<ShapeError>("svd: expected a matrix, got ndim 1; x=[3]"));
  EXPECT_THAT(
      [] {
        svd(reshape(arange(0, 4), {2, 2}));
      },
      ThrowsMessage<std::invalid_argument>("svd: expected float32 or float64, got int64; "
                                           "x=[2, 2]"));
  EXPECT_THAT(
      [] {
        svd(matrix({{1, std::nan("")}}));
      },
      ThrowsMessage<std::invalid_argument>("svd: expected finite elements, got nan; "
                                           "x=[1, 2]"));
  EXPECT_THROW(svd(matrix({{std::numeric_limits<double>::infinity()}})), std::invalid_argument);
  EXPECT_THROW(svd(Tensor()), std::invalid_argument);
}

// Penrose's four conditions, which one matrix alone fulfils.
void expect_pinv(const Tensor& x) {
  const Tensor y = pinv(x);
  ASSERT_EQ(y.shape(), Shape({x.shape()[1], x.shape()[0]}));
  const Tensor xy = reference::matmul(x, y), yx = reference::matmul(y, x);
  const double x_size = std::max(1.0, max(test::finite_sizes(x)).item()),
               y_size = max(test::finite_sizes(y)).item();
  const double bound = 1e-12 * x_size * x_size * std::max(1.0, y_size * y_size);
  EXPECT_EQ(test::difference(reference::matmul(xy, x), x, 0, bound), "");
  EXPECT_EQ(test::difference(reference::matmul(yx, y), y, 0, bound), "");
  EXPECT_EQ(test::difference(xy, transpose(xy), 0, bound), "");
  EXPECT_EQ(test::difference(yx, transpose(yx), 0, bound), "");
}

TEST(Pinv, HoldsForRandomMatricesOfAnyShapeAndRank) {
  Generator generator(5, "pinv");
  const auto random = [&](std::int64_t rows, std::int64_t columns) {
    return normal({rows, columns}, generator, DType::kFloat64);
  };
  for (std::int64_t rows = 1; rows <= 6; ++rows) {
    for (std::int64_t columns = 1; columns <= 6; ++columns) {
      expect_pinv(random(rows, columns));
      expect_pinv(reference::matmul(random(rows, 1), random(1, columns)));  // rank 1
    }
  }
}

TEST(Pinv, ByHand) {
  const Tensor x = matrix({{2, 0}, {0, 0}, {0, -4}}, DType::kFloat64);
  EXPECT_EQ(test::difference(pinv(x), matrix({{0.5, 0, 0}, {0, 0, -0.25}}, DType::kFloat64), 1e-15),
            "");
  // [1, 1]^T reaches (t, t): of (3, 5) it can make (4, 4).
  EXPECT_EQ(test::difference(pinv(matrix({{1}, {1}}, DType::kFloat64)),
                             matrix({{0.5, 0.5}}, DType::kFloat64), 1e-15),
            "");
  EXPECT_EQ(test::difference(pinv(zeros({2, 3})), zeros({3, 2}), 0), "");
  EXPECT_EQ(pinv(zeros({0, 3})).shape(), Shape({3, 0}));
  EXPECT_EQ(pinv(zeros({2, 3})).dtype(), DType::kFloat32);
}

TEST(Pinv, CutsOffWhatIsSmall) {
  const Tensor x = matrix({{1, 0}, {0, 1e-3}}, DType::kFloat64);
  EXPECT_NEAR(pinv(x).at({1, 1}), 1000, 1e-9);
  EXPECT_EQ(pinv(x, 1e-2).at({1, 1}), 0);
  EXPECT_EQ(pinv(x, 1e-2).at({0, 0}), 1);
  // In float32 a singular value of 1e-8 of the largest one is rounding.
  const Tensor tiny = matrix({{1, 0}, {0, 1e-8}}, DType::kFloat64);
  EXPECT_NEAR(pinv(tiny).at({1, 1}), 1e8, 1);
  EXPECT_EQ(pinv(to(tiny, DType::kFloat32)).at({1, 1}), 0);
}

TEST(PinvError, SaysWhatDoesNotFit) {
  EXPECT_THAT([] { pinv(zeros({3})); },
              ThrowsMessage<ShapeError>("pinv: expected a matrix, got ndim 1; x=[3]"));
  EXPECT_THAT(
      [] {
        pinv(zeros({2, 2}), -1);
      },
      ThrowsMessage<std::invalid_argument>("pinv: expected cutoff >= 0, got -1; x=[2, 2]"));
  EXPECT_THAT(
      [] {
        pinv(full({1, 2}, INFINITY));
      },
      ThrowsMessage<std::invalid_argument>("pinv: expected finite elements, got inf; x=[1, 2]"));
}

}  // namespace
}  // namespace gradwalk
