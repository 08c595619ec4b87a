#include "nn/diagnostics/pca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/moments.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

// The solver is free to turn an axis about, so that a picture was mirrored on another machine, or
// when the points came in another order. (BR-45)
TEST(Pca, SignsDoNotDependOnTheOrderOfThePoints) {
  const nlohmann::json report = test::bug_report("BR-45");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor rows = test::tensor_from(report["inputs"]["rows"]);
  const nlohmann::json& want = report["expected"];
  const Tensor order = to(vector({5, 2, 0, 4, 3, 1}), DType::kInt64);
  const auto near = [](const Tensor& got, const nlohmann::json& expected) {
    EXPECT_EQ(test::difference(got, test::tensor_from(expected), 1e-8, 1e-9), "");
  };
  const Pca first = pca(rows);
  const Pca shuffled = pca(index_select(rows, 0, order));
  for (const Pca& p : {first, shuffled}) {
    near(p.variances, want["variances"]);
    near(select(p.components, 0, 0), want["component_1"]);
    near(select(p.components, 0, 1), want["component_2"]);
  }
  EXPECT_EQ(
      test::difference(shuffled.projections, index_select(first.projections, 0, order), 0, 1e-13),
      "");
}

// Three points on a line along (-4, 3), 5 apart: axis (0.8, -0.6), and the points run against it.
TEST(Pca, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double atol = dtype == DType::kFloat32 ? 1e-6 : 1e-14;
    const Pca p = pca(matrix({{7, 0}, {3, 3}, {-1, 6}}, dtype));
    EXPECT_EQ(p.components.dtype(), dtype);
    EXPECT_EQ(test::difference(p.mean, vector({3, 3}, dtype), 0, atol), "");
    EXPECT_EQ(test::difference(select(p.components, 0, 0), vector({0.8, -0.6}, dtype), 0, atol),
              "");
    EXPECT_EQ(test::difference(p.variances, vector({25, 0}, dtype), 1e-6, atol), "");
    EXPECT_EQ(test::difference(p.variance_ratio, vector({1, 0}, dtype), 0, atol), "");
    EXPECT_EQ(test::difference(select(p.projections, 1, 0), vector({5, 0, -5}, dtype), 1e-6, atol),
              "");
  }
}

// Entries of one magnitude, which rounding orders: the first of them is positive.
TEST(Pca, TheFirstOfEqualEntriesIsPositive) {
  Generator generator(6, "pca");
  for (int i = 0; i < 20; ++i) {
    const Tensor along = normal({5, 1}, generator, DType::kFloat64);
    const Pca p = pca(matmul(along, matrix({{-1, 1, 1, -1}}, DType::kFloat64)));
    EXPECT_EQ(test::difference(select(p.components, 0, 0),
                               vector({0.5, -0.5, -0.5, 0.5}, DType::kFloat64), 0, 1e-12),
              "");
  }
}

TEST(Pca, ComponentsAreOrthonormalAndGiveThePointsBack) {
  Generator generator(7, "pca");
  for (const Shape& shape : {Shape({9, 4}), Shape({3, 6}), Shape({2, 1})}) {
    const Tensor x = normal(shape, generator, DType::kFloat64) + 3;
    const Pca p = pca(x);
    const std::int64_t k = std::min(shape[0], shape[1]);
    EXPECT_EQ(p.components.shape(), Shape({k, shape[1]}));
    EXPECT_EQ(p.projections.shape(), Shape({shape[0], k}));
    EXPECT_EQ(test::difference(matmul(p.components, transpose(p.components)),
                               eye(k, DType::kFloat64), 0, 1e-12),
              "");
    EXPECT_EQ(test::difference(matmul(p.projections, p.components) + p.mean, x, 0, 1e-12), "");
    EXPECT_EQ(test::difference(var(p.projections, /*axes=*/0), p.variances, 1e-12, 1e-12), "");
    EXPECT_NEAR(sum(p.variance_ratio).item(), 1, 1e-14);
  }
}

TEST(Pca, OfOnePointTwice) {
  const Pca p = pca(matrix({{1, 2}, {1, 2}}));
  EXPECT_THAT(p.variances.to_vector(), ElementsAre(0, 0));
  EXPECT_THAT(p.variance_ratio.to_vector(), ElementsAre(0, 0));
  EXPECT_THAT(p.projections.to_vector(), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(p.mean.to_vector(), ElementsAre(1, 2));
}

TEST(PcaError, NamesPca) {
  EXPECT_THAT(
      [] {
        pca(zeros({1, 3}));
      },
      ThrowsMessage<ShapeError>("pca: expected x [N, D], N >= 2, D >= 1, got [1, 3]; x=[1, 3]"));
  EXPECT_THROW(pca(zeros({3, 0})), ShapeError);
  EXPECT_THROW(pca(zeros({3})), ShapeError);
  EXPECT_THAT(
      [] {
        pca(matrix({{1, 2}, {std::nan(""), 3}}));
      },
      ThrowsMessage<std::invalid_argument>("pca: expected finite elements, got nan; "
                                           "x=[2, 2]"));
  EXPECT_THAT(
      [] {
        pca(zeros({2, 2}, DType::kInt64));
      },
      ThrowsMessage<std::invalid_argument>(
          "pca: expected float32 or float64, got int64; x=[2, 2]"));
}

}  // namespace
}  // namespace gradwalk::nn
