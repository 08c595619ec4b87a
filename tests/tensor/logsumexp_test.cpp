#include "tensor/logsumexp.h"

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
#include "tensor/reference/logsumexp.h"
#include "tensor/softmax.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Logsumexp, EqualsTheReference) {
  for_each_case("logsumexp", 280, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    Axes named;
    std::vector<int> plain;
    double terms = 1;
    for (int axis = 0; axis < x.ndim(); ++axis) {
      if (c.below(2) == 0) continue;
      named.push_back(c.below(2) == 0 ? axis : axis - x.ndim());
      plain.push_back(axis);
      terms *= static_cast<double>(x.shape()[axis]);
    }
    // The n roundings of the sum are relative to it, so the log is off by n epsilon of float64, not
    // relative to anything; and by log n + 4 units of the dtype, in which the exponentials are
    // (cross_entropy_test.cpp says why). Then the maximum is added and the result rounded.
    const double units = std::log(std::max(terms, 1.0)) + 4;
    const Tensor want = reference::logsumexp(x, plain);
    const Tensor bound = test::sum_bound(test::finite_sizes(want) + 1, DType::kFloat64, terms + 8) +
                         test::sum_bound(ones(want.shape(), DType::kFloat64), x.dtype(), units) +
                         test::sum_bound(test::finite_sizes(want), x.dtype(), 1);
    const Tensor y = logsumexp(x, named);
    EXPECT_EQ(difference(logsumexp(x, named, /*keepdims=*/true), want, bound), "");
    EXPECT_EQ(difference(y, reshape(want, y.shape()), reshape(bound, y.shape())), "");
    EXPECT_EQ(y.dtype(), x.dtype());

    // Weights are at most 1, each from a sum of n, and off by these units and p log(1 / p) < 1/2.
    const Tensor dy = c.tensor(want.shape());
    const Tensor dx = reference::logsumexp_backward(x, dy, plain);
    const Tensor size = expand(test::finite_sizes(dy), x.shape());
    EXPECT_EQ(difference(logsumexp_backward(x, dy, named), dx,
                         test::sum_bound(size, DType::kFloat64, terms + 8) +
                             test::sum_bound(size, x.dtype(), units + 5) +
                             test::sum_bound(test::finite_sizes(dx), x.dtype(), 2)),
              "");
  });
}

// A maximum of -inf, once subtracted, made NaN of a fully masked row, and 1000 overflowed where
// none was subtracted. The row gives -inf and a zero gradient (BR-05).
TEST(Logsumexp, InfiniteAndHugeEntriesBr05) {
  const nlohmann::json report = test::bug_report("BR-05");
  GRADWALK_SKIP_WITHOUT(report);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double rtol = dtype == DType::kFloat32 ? 1e-5 : 1e-9;
    const auto& vectors = report["inputs"]["vectors"];
    const Tensor want = test::tensor_from(report["expected"]["values"]);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const Tensor x = test::tensor_from(vectors[i], dtype);
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_EQ(difference(logsumexp(x), select(want, 0, at), rtol), "") << i;
    }
    const Tensor one = scalar(1, dtype);
    EXPECT_THAT(logsumexp_backward(test::tensor_from(vectors[0], dtype), one, 0).to_vector(),
                ElementsAre(0, 0));
    EXPECT_THAT(logsumexp_backward(test::tensor_from(vectors[1], dtype), one, 0).to_vector(),
                ElementsAre(0, 1));
  }
}

TEST(Logsumexp, SmallCases) {
  const Tensor x = log(matrix({{1, 2}, {3, 4}}, DType::kFloat64));
  EXPECT_EQ(difference(logsumexp(x, 1), log(vector({3, 7}, DType::kFloat64)), 1e-15), "");
  EXPECT_EQ(difference(logsumexp(x), scalar(std::log(10.0), DType::kFloat64), 1e-15), "");
  EXPECT_EQ(logsumexp(x, {0, 1}, /*keepdims=*/true).shape(), Shape({1, 1}));
  EXPECT_EQ(logsumexp(scalar(3)).item(), 3);
}

// A log-sum over no elements was an error, or no -inf; and so it was beside an empty axis that is
// not reduced (BR-33).
TEST(Logsumexp, EmptyTensorsBr33) {
  EXPECT_EQ(logsumexp(zeros({0})).item(), -kInfinity);
  EXPECT_THAT(logsumexp(zeros({2, 0}), 1).to_vector(), ElementsAre(-kInfinity, -kInfinity));
  EXPECT_EQ(logsumexp(zeros({2, 0}), 0).shape(), Shape({0}));
}

TEST(Logsumexp, NanStaysVisibleAndInItsRow) {
  const double nan = std::nan("");
  const Tensor x = matrix({{nan, kInfinity}, {-kInfinity, nan}, {0, 0}}, DType::kFloat64);
  const Tensor y = logsumexp(x, 1);
  EXPECT_TRUE(std::isnan(y.at({0})));
  EXPECT_TRUE(std::isnan(y.at({1})));
  EXPECT_EQ(y.at({2}), std::log(2.0));
}

// Far from zero y itself has few digits in float32; the gradient must not get its weights from it.
TEST(LogsumexpBackward, IsDyTimesSoftmaxFarFromZeroToo) {
  const Tensor x = matrix({{1000, 1000.5, 999}, {-1e6, -1e6, -1e6}});
  const Tensor dy = vector({1, 6});
  EXPECT_EQ(difference(logsumexp_backward(x, dy, 1), mul(softmax(x, 1), unsqueeze(dy, 1)), 1e-6),
            "");
}

TEST(LogsumexpError, TextsAndOperands) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { logsumexp(x, 2); },
              ThrowsMessage<ShapeError>("logsumexp: expected axis in [-2, 2), got 2; x=[2, 2]"));
  EXPECT_THAT([] { logsumexp(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>("logsumexp: expected float32 or float64, got "
                                                   "int64; x=[3]"));
  EXPECT_THAT(
      [] { logsumexp(Tensor()); },
      ThrowsMessage<std::invalid_argument>("logsumexp: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { logsumexp_backward(x, zeros({3}), 0); },
              ThrowsMessage<ShapeError>("logsumexp_backward: expected dy of 2 elements, got 3; "
                                        "x=[2, 2] dy=[3]"));
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
