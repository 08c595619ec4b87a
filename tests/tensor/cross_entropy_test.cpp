#include "tensor/cross_entropy.h"

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
#include "tensor/reference/cross_entropy.h"
#include "tensor/reference/softmax.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

Tensor ids(std::initializer_list<double> values) { return vector(values, DType::kInt64); }

Tensor random_targets(RandomCase& c, const Shape& logits) {
  const Shape shape(std::span<const std::int64_t>(logits.begin(), logits.end() - 1));
  std::vector<double> targets;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    targets.push_back(static_cast<double>(c.below(logits[-1])));
  }
  return from_vector(targets, shape, DType::kInt64);
}

// How many units of the dtype a probability of softmax is off, times the probability.
Tensor softmax_units(const Tensor& logits) {
  const Tensor p = test::finite_sizes(reference::softmax(logits, logits.ndim() - 1));
  std::vector<double> units = p.to_vector();
  const double of_the_sum = std::log(static_cast<double>(logits.shape()[-1])) + 10;
  for (double& element : units) {
    // p <= exp(-|x - m|)
    element *= of_the_sum + (element > 0 ? -std::log(element) : 0);
  }
  return from_vector(units, logits.shape(), DType::kFloat64);
}

// Everything is added up in float64 and rounded once; the summands are no larger than the logits.
// The exponentials are off by |x_i - m| + 3 units of the dtype, and x_i - m by one: the log-sum by
// their mean under the probabilities, of which sum_i p_i |x_i - m| is at most log V.
TEST(CrossEntropy, EqualsTheReference) {
  for_each_case("cross_entropy", 280, [](RandomCase& c) {
    const Tensor logits = c.tensor(c.shape(1, 3));
    if (logits.shape()[-1] == 0) return;
    const Tensor targets = random_targets(c, logits.shape());
    const Tensor want = reference::cross_entropy(logits, targets);
    const Tensor sizes = test::finite_sizes(logits);
    const Tensor size =
        scalar(logits.numel() == 0 ? 0 : 4 * max(sizes).item() + 10, DType::kFloat64);
    const auto n = static_cast<double>(logits.numel());
    const auto units = 4 + std::log(static_cast<double>(logits.shape()[-1]));
    EXPECT_EQ(test::difference(cross_entropy(logits, targets), want,
                               test::sum_bound(size, DType::kFloat64, n + 4) +
                                   test::sum_bound(scalar(1, DType::kFloat64), c.dtype(), units) +
                                   test::sum_bound(test::finite_sizes(want), c.dtype(), 1)),
              "");
  });
}

// dy p, of which p is off by the |x_i - m| + 4 units of its exponential and the log V + 4 of their
// sum, and rounded twice.
TEST(CrossEntropyBackward, EqualsTheReference) {
  for_each_case("cross_entropy_backward", 280, [](RandomCase& c) {
    const Tensor logits = c.tensor(c.shape(1, 3));
    if (logits.shape()[-1] == 0) return;
    const Tensor targets = random_targets(c, logits.shape());
    const Tensor dy = scalar(c.generator().normal(), c.dtype());
    const Tensor want = reference::cross_entropy_backward(logits, targets, dy);
    const auto classes = static_cast<double>(logits.shape()[-1]);
    const Tensor ones_like = full(logits.shape(), std::abs(dy.item()), DType::kFloat64);
    EXPECT_EQ(test::difference(
                  cross_entropy_backward(logits, targets, dy), want,
                  test::sum_bound(ones_like, DType::kFloat64, classes + 4) +
                      test::sum_bound(softmax_units(logits) * std::abs(dy.item()), c.dtype(), 1) +
                      test::sum_bound(test::finite_sizes(want), c.dtype(), 1)),
              "");
  });
}

TEST(CrossEntropy, IsTheMeanOverAllRows) {
  const double ln2 = std::log(2.0);
  EXPECT_NEAR(cross_entropy(zeros({3, 2}, DType::kFloat64), ids({0, 1, 1})).item(), ln2, 1e-15);
  EXPECT_NEAR(cross_entropy(zeros({4}, DType::kFloat64), scalar(2, DType::kInt64)).item(), 2 * ln2,
              1e-15);
  const Tensor dx = cross_entropy_backward(zeros({2, 2}, DType::kFloat64), ids({0, 1}),
                                           scalar(3, DType::kFloat64));
  EXPECT_THAT(dx.to_vector(), ElementsAre(-0.75, 0.75, 0.75, -0.75));
}

// A loss that forms the probability first was infinite here: exp(-152) is 0 in float32 (BR-04).
TEST(CrossEntropy, VeryUnlikelyTarget) {
  const Tensor logits = matrix({{0, -150, 2}});
  EXPECT_NEAR(cross_entropy(logits, ids({1})).item(), 152.126928011, 152 * 1e-6);
  EXPECT_EQ(test::difference(cross_entropy_backward(logits, ids({1}), scalar(1)),
                             matrix({{0.119202922022, -1, 0.880797077978}}), 1e-6, 1e-7),
            "");
}

// A mean over nothing divided 0 by 0. The loss of no rows is 0, and so is the gradient (BR-02).
TEST(CrossEntropy, OfNoRowsIsZero) {
  EXPECT_EQ(cross_entropy(zeros({0, 3}), ids({})).item(), 0);
  EXPECT_EQ(cross_entropy_backward(zeros({0, 3}), ids({}), scalar(1)).shape(), Shape({0, 3}));
}

// A kernel that looked at the last stride alone took this view for dense: the stride is 1, but the
// rows are not in memory order (BR-10).
TEST(CrossEntropy, OfAPermutedView) {
  const Tensor base =
      from_vector({2,    1.75, -2, 0.25, 1.75, -1.75, 0.25, 1,    1,     -1.25, -1.5,  -1,
                   0.75, 1,    -2, 2,    -2,   0.75,  -1.5, 0.75, -1.75, 1.25,  -1.75, 1.75},
                  {2, 3, 4}, DType::kFloat64);
  const Tensor targets = matrix({{0, 3}, {2, 1}, {3, 3}}, DType::kInt64);
  EXPECT_NEAR(cross_entropy(permute(base, {1, 0, 2}), targets).item(), 1.13395284958, 1e-9);
  const Tensor strided = transpose(matrix({{0, 2, 3}, {3, 1, 3}}, DType::kInt64));
  EXPECT_NEAR(cross_entropy(permute(base, {1, 0, 2}), strided).item(), 1.13395284958, 1e-9);
}

TEST(CrossEntropy, InfinitiesAndNan) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cross_entropy(matrix({{-inf, 0}}), ids({0})).item(), inf);
  EXPECT_NEAR(cross_entropy(matrix({{-inf, 0}}), ids({1})).item(), 0, 0);
  EXPECT_TRUE(std::isnan(cross_entropy(matrix({{0, std::nan("")}}), ids({0})).item()));
}

TEST(CrossEntropyError, Ids) {
  EXPECT_THAT(
      [] {
        cross_entropy(zeros({2, 3}), ids({0, 3}));
      },
      ThrowsMessage<std::out_of_range>("cross_entropy: expected targets in [0, 3), got 3 at "
                                       "[1]; logits=[2, 3] targets=[2]"));
  EXPECT_THAT(
      [] {
        cross_entropy_backward(zeros({1, 2, 3}), matrix({{0, -1}}, DType::kInt64), scalar(1));
      },
      ThrowsMessage<std::out_of_range>(
          "cross_entropy_backward: expected targets in [0, 3), got -1 at [0, 1]; "
          "logits=[1, 2, 3] targets=[1, 2]"));
}

TEST(CrossEntropyError, Shapes) {
  EXPECT_THAT(
      [] {
        cross_entropy(zeros({2, 3}), ids({0}));
      },
      ThrowsMessage<ShapeError>("cross_entropy: expected targets.shape == [2], got [1]; "
                                "logits=[2, 3] targets=[1]"));
  EXPECT_THAT(
      [] {
        cross_entropy(zeros({2, 0}), ids({0, 0}));
      },
      ThrowsMessage<ShapeError>("cross_entropy: expected logits with at least one class on "
                                "the last axis, got [2, 0]; logits=[2, 0] targets=[2]"));
  EXPECT_THROW(cross_entropy(zeros({}), ids({})), ShapeError);
  EXPECT_THAT(
      [] {
        cross_entropy_backward(zeros({1, 3}), ids({0}), zeros({2}));
      },
      ThrowsMessage<ShapeError>("cross_entropy_backward: expected dy of shape [], got [2]; "
                                "logits=[1, 3] targets=[1] dy=[2]"));
}

TEST(CrossEntropyError, DTypesAndUndefined) {
  EXPECT_THAT(
      [] {
        cross_entropy(zeros({2, 3}), zeros({2}));
      },
      ThrowsMessage<std::invalid_argument>("cross_entropy: expected int64 targets, got "
                                           "float32; logits=[2, 3] targets=[2]"));
  EXPECT_THAT(
      [] {
        cross_entropy(zeros({2, 3}, DType::kInt64), ids({0, 0}));
      },
      ThrowsMessage<std::invalid_argument>("cross_entropy: expected float32 or float64, got "
                                           "int64; logits=[2, 3] targets=[2]"));
  EXPECT_THAT([] { cross_entropy(Tensor(), ids({0})); },
              ThrowsMessage<std::invalid_argument>(
                  "cross_entropy: expected a tensor, got an undefined one"));
  EXPECT_THROW(cross_entropy(zeros({1, 3}), Tensor()), std::invalid_argument);
  EXPECT_THAT(
      [] {
        cross_entropy_backward(zeros({1, 3}), ids({0}), Tensor());
      },
      ThrowsMessage<std::invalid_argument>(
          "cross_entropy_backward: expected a tensor, got an undefined one"));
  EXPECT_THAT(
      [] {
        cross_entropy_backward(zeros({1, 3}), ids({0}), scalar(1, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "cross_entropy_backward: expected one dtype for logits and dy, got float32 and "
          "float64; logits=[1, 3] dy=[]"));
}

}  // namespace
}  // namespace gradwalk
