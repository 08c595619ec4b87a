#include "tensor/cumsum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/cumsum.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// Sums run in float64 and are rounded once: n roundings of float64, one of the dtype. `sizes` are
// the cumulative sums of |x|.
Tensor bound_of_sums(const Tensor& sizes, const Tensor& want, std::int64_t n) {
  return test::sum_bound(sizes, DType::kFloat64, static_cast<double>(n)) +
         test::sum_bound(test::finite_sizes(want), want.dtype(), 1);
}

TEST(Cumsum, EqualsTheReference) {
  for_each_case("cumsum", 420, [](RandomCase& c) {
    const Shape shape = c.shape(1);
    const Tensor x = c.tensor(shape);
    const int axis = c.axis(shape);
    const int plain = axis < 0 ? axis + shape.ndim() : axis;
    const Tensor sizes = test::finite_sizes(x);

    const Tensor y = cumsum(x, axis);
    Tensor want = reference::cumsum(x, plain);
    Tensor bound = bound_of_sums(reference::cumsum(sizes, plain), want, shape[axis]);
    EXPECT_EQ(difference(y, want, bound), "");
    EXPECT_EQ(y.dtype(), x.dtype());
    EXPECT_TRUE(y.is_contiguous());

    const Tensor dx = cumsum_backward(x, axis);
    want = reference::cumsum_backward(x, plain);
    bound = bound_of_sums(reference::cumsum_backward(sizes, plain), want, shape[axis]);
    EXPECT_EQ(difference(dx, want, bound), "");
    EXPECT_EQ(dx.dtype(), x.dtype());

    const Tensor whole = c.tensor(shape, DType::kInt64, Values::kHuge);
    EXPECT_EQ(difference(cumsum(whole, axis), reference::cumsum(whole, plain), 0), "");
    EXPECT_EQ(difference(cumsum_backward(whole, axis), reference::cumsum_backward(whole, plain), 0),
              "");
    EXPECT_EQ(cumsum(whole, axis).dtype(), DType::kInt64);
  });
}

TEST(Cumsum, SmallCases) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(cumsum(x, 1).to_vector(), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(cumsum(x, -1).to_vector(), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(cumsum(x, 0).to_vector(), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(cumsum(transpose(x), 0).to_vector(), ElementsAre(1, 4, 3, 9, 6, 15));
  EXPECT_THAT(cumsum(expand(vector({2}), {2, 2}), 1).to_vector(), ElementsAre(2, 4, 2, 4));
  EXPECT_THAT(cumsum_backward(x, 1).to_vector(), ElementsAre(6, 5, 3, 15, 11, 6));
  EXPECT_THAT(cumsum_backward(x, -2).to_vector(), ElementsAre(5, 7, 9, 4, 5, 6));
}

// Bit by bit what a loop over the elements gives, which carries a float64 and rounds each of its
// values once, and the same for any number of threads: strips of lines with a remainder, pieces
// that begin within a row, and lines that go alone.
TEST(Cumsum, EqualsTheLoopByHandForAnyNumberOfThreads) {
  const auto by_hand = [](const Tensor& x, int axis) {
    const std::vector<double> elements = x.to_vector();
    const std::int64_t rows = x.shape()[axis];
    const std::int64_t inner = x.strides()[static_cast<std::size_t>(axis)];
    std::vector<double> totals = elements;
    std::vector<double> y = elements;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      if (place / inner % rows > 0) totals[i] += totals[static_cast<std::size_t>(place - inner)];
      y[i] = x.dtype() == DType::kFloat32 ? static_cast<float>(totals[i]) : totals[i];
    }
    return y;
  };
  struct Case {
    Shape shape;
    int axis;
  };
  const int before = num_threads();
  for (const Case& c : {Case{{200'003}, 0}, Case{{5, 20'011}, 1}, Case{{41, 5'003}, 0},
                        Case{{9, 701, 50}, 1}, Case{{3, 5, 7, 2'003}, 1}}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      Generator generator(5, "cumsum");
      const Tensor x = normal(c.shape, generator, dtype);
      const std::vector<double> want = by_hand(x, c.axis);
      set_num_threads(1);
      const std::vector<double> gradient = cumsum_backward(x, c.axis).to_vector();
      for (const int threads : {1, 2, 3, 7}) {
        set_num_threads(threads);
        EXPECT_EQ(cumsum(x, c.axis).to_vector(), want) << c.shape.str() << " " << threads;
        EXPECT_EQ(cumsum_backward(x, c.axis).to_vector(), gradient) << c.shape.str();
      }
      // What stands first in the gradient and last in the value is the sum.
      const Tensor all = sum(to(x, DType::kFloat64), c.axis);
      EXPECT_EQ(difference(select(cumsum(x, c.axis), c.axis, -1), all, 1e-7, 1e-9), "");
      EXPECT_EQ(difference(select(cumsum_backward(x, c.axis), c.axis, 0), all, 1e-7, 1e-9), "");
    }
  }
  set_num_threads(before);
}

TEST(Cumsum, Float32IsAddedUpInFloat64) {
  // 2^24 + 1 is no float32: in float32 the ones after it would add nothing.
  const Tensor x = vector({16777216, 1, 1, 1});
  EXPECT_THAT(cumsum(x, 0).to_vector(), ElementsAre(16777216, 16777216, 16777218, 16777220));
  EXPECT_THAT(cumsum(transpose(matrix({{16777216, 1, 1}, {1, 1, 1}})), 0).to_vector(),
              ElementsAre(16777216, 1, 16777216, 2, 16777218, 3));
}

TEST(Cumsum, Int64IsExactAndWraps) {
  Tensor x = arange(0, 3);
  x.mutable_data<std::int64_t>()[0] = std::numeric_limits<std::int64_t>::max();
  x.mutable_data<std::int64_t>()[1] = 1;
  const Tensor y = cumsum(x, 0);
  EXPECT_EQ(y.data<std::int64_t>()[0], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(y.data<std::int64_t>()[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(y.data<std::int64_t>()[2], std::numeric_limits<std::int64_t>::min() + 2);
}

TEST(Cumsum, NanAndInfinitiesPassOn) {
  EXPECT_THAT(cumsum(vector({1, kNan, 2, kInfinity}), 0).to_vector(),
              ElementsAre(1, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(cumsum(vector({1, kInfinity, -5, -kInfinity, 1}), 0).to_vector(),
              ElementsAre(1, kInfinity, kInfinity, IsNan(), IsNan()));
  // Neighbours of such a line do not see it.
  EXPECT_THAT(cumsum(matrix({{1, kNan, -kInfinity}, {2, 3, 4}}), 0).to_vector(),
              ElementsAre(1, IsNan(), -kInfinity, 3, IsNan(), -kInfinity));
  EXPECT_THAT(cumsum_backward(vector({1, kNan, 2}), 0).to_vector(),
              ElementsAre(IsNan(), IsNan(), 2));
}

TEST(Cumsum, OneElementIsItself) {
  EXPECT_THAT(cumsum(vector({-3}), 0).to_vector(), ElementsAre(-3));
  EXPECT_THAT(cumsum(matrix({{1, 2, 3}}), 0).to_vector(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(std::signbit(cumsum(vector({-0.0}), 0).item()));
  EXPECT_TRUE(std::signbit(cumsum(matrix({{-0.0, 1}}), 0).to_vector()[0]));
}

TEST(Cumsum, Empty) {
  EXPECT_EQ(cumsum(zeros({0}), 0).shape(), Shape({0}));
  EXPECT_EQ(cumsum(zeros({2, 0}), 0).shape(), Shape({2, 0}));
  EXPECT_EQ(cumsum(zeros({2, 0, 3}, DType::kInt64), 1).shape(), Shape({2, 0, 3}));
  EXPECT_EQ(cumsum_backward(zeros({0, 2}), -1).shape(), Shape({0, 2}));
}

TEST(CumsumError, TextsAndOperands) {
  const Tensor x = matrix({{1, 2}, {3, 4}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { cumsum(x, 2); },
              ThrowsMessage<ShapeError>("cumsum: expected axis in [-2, 2), got 2; x=[2, 2]"));
  EXPECT_THAT([&] { cumsum(x, -3); },
              ThrowsMessage<ShapeError>("cumsum: expected axis in [-2, 2), got -3; x=[2, 2]"));
  EXPECT_THAT([] { cumsum(scalar(1), 0); },
              ThrowsMessage<ShapeError>("cumsum: expected axis in [0, 0), got 0; x=[]"));
  EXPECT_THROW(cumsum(scalar(1), -1), ShapeError);
  EXPECT_THROW(cumsum(zeros({0}), 1), ShapeError);
  EXPECT_THAT([] { cumsum(zeros({2}, DType::kBool), 0); },
              ThrowsMessage<std::invalid_argument>("cumsum: expected float32, float64 or int64, "
                                                   "got bool; x=[2]"));
  EXPECT_THAT([] { cumsum(Tensor(), 0); }, ThrowsMessage<std::invalid_argument>(
                                               "cumsum: expected a tensor, got an undefined one"));
  EXPECT_THAT(
      [&] { cumsum_backward(x, 2); },
      ThrowsMessage<ShapeError>("cumsum_backward: expected axis in [-2, 2), got 2; x=[2, 2]"));
  EXPECT_THROW(cumsum_backward(zeros({2}, DType::kBool), 0), std::invalid_argument);
  EXPECT_THROW(cumsum_backward(Tensor(), 0), std::invalid_argument);
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
