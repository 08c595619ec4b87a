#include "tensor/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/matmul.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

// A sum of k products in any order, with or without fused multiply-adds, lies within gamma_k = k u
// / (1 - k u) times the sum of their sizes, u half an epsilon (Higham 2002, section 3.1): each
// product takes part in at most k roundings. The parts that K is cut into (matmul.cpp) add no more
// than their number, k / 512. The reference rounds its float64 sum once, or as often where float64
// is the dtype itself: together k + k / 512 + 2 times a whole epsilon holds for both.
void expect_like_reference(const Tensor& a, const Tensor& b) {
  const Tensor y = matmul(a, b);
  const Tensor want = reference::matmul(a, b);
  const auto k = static_cast<double>(a.shape()[-1]);
  const double terms = k + k / 512 + 2;
  const Tensor sizes = reference::matmul(test::finite_sizes(a), test::finite_sizes(b));
  EXPECT_EQ(test::difference(y, want, test::sum_bound(sizes, a.dtype(), terms)), "");
  EXPECT_EQ(y.dtype(), a.dtype());
}

TEST(Matmul, EqualsTheReference) {
  for_each_case("matmul", 280, [](RandomCase& c) {
    const std::int64_t m = c.below(9);
    const std::int64_t k = c.below(9);
    const std::int64_t n = c.below(c.below(3) == 0 ? 70 : 9);
    Shape batch = c.shape(0, 2);
    while (batch.numel() > 20) batch = c.shape(0, 2);
    Shape a_shape = c.narrowed(batch);
    Shape b_shape = c.narrowed(batch);
    a_shape.push_back(m);
    a_shape.push_back(k);
    b_shape.push_back(k);
    b_shape.push_back(n);
    expect_like_reference(c.tensor(a_shape), c.tensor(b_shape));
  });
}

TEST(Matmul, VectorsStandForARowOrAColumn) {
  for_each_case("matmul with vectors", 200, [](RandomCase& c) {
    const std::int64_t k = c.below(20);
    Shape wide = c.shape(0, 2);
    while (wide.numel() > 20) wide = c.shape(0, 2);
    Shape a_shape = wide;
    a_shape.push_back(k);
    Shape b_shape = {k};
    if (wide.ndim() > 0) {
      b_shape = Shape(std::span<const std::int64_t>(wide.begin(), wide.end() - 1));
      b_shape.push_back(k);
      b_shape.push_back(wide[-1]);
    }
    const Tensor v = c.tensor({k});
    expect_like_reference(c.tensor(a_shape), v);
    expect_like_reference(v, c.tensor(b_shape));
  });
}

// Long enough for threads, blocks and remainders.
TEST(Matmul, LargerSizesEqualTheReference) {
  Generator generator(3, "matmul");
  for (const auto& [m, k, n] :
       {std::array<std::int64_t, 3>{65, 33, 17}, {1, 300, 9}, {40, 70, 67}}) {
    expect_like_reference(normal({m, k}, generator), normal({k, n}, generator));
    expect_like_reference(transpose(normal({k, m}, generator)),
                          transpose(normal({n, k}, generator)));
  }
}

// The values of one matrix for all batches and of a matrix times a vector, whose gradients were
// once not summed, or transposed in vain (BR-08).
TEST(Matmul, BatchTimesMatrixAndMatrixTimesVector) {
  const DType wide = DType::kFloat64;
  const Tensor a = from_vector({1, 2, -1, 0, 3, 1, 2, -2, 0.5, 1, 1, 1}, {2, 2, 3}, wide);
  const Tensor b = matrix({{1, -1}, {0.5, 2}, {3, 0}}, wide);
  EXPECT_EQ(matmul(a, b).shape(), Shape({2, 2, 2}));
  EXPECT_THAT(matmul(a, b).to_vector(), ElementsAre(-1, 3, 4.5, 6, 2.5, -6, 4.5, 1));
  const Tensor m = matrix({{1, 2, 3}, {-1, 0, 2}}, wide);
  const Tensor v = vector({2, -1, 0.5}, wide);
  EXPECT_THAT(matmul(m, v).to_vector(), ElementsAre(1.5, -1));
  EXPECT_THAT(matmul(v, transpose(m)).to_vector(), ElementsAre(1.5, -1));
  EXPECT_EQ(matmul(v, v).shape(), Shape());
  EXPECT_EQ(matmul(v, v).item(), 5.25);
}

// With an inner size of 0 a product has no terms, and the result kept what its memory held before.
// It is zeros, and they must be written (BR-32).
TEST(Matmul, SizesOfZero) {
  EXPECT_EQ(matmul(zeros({3, 0}), zeros({0, 2})).shape(), Shape({3, 2}));
  EXPECT_THAT(matmul(zeros({3, 0}), zeros({0, 2})).to_vector(), Each(0));
  EXPECT_EQ(matmul(zeros({0, 3}), zeros({3, 2})).shape(), Shape({0, 2}));
  EXPECT_EQ(matmul(zeros({4, 2, 0}), zeros({4, 0, 5})).shape(), Shape({4, 2, 5}));
  EXPECT_THAT(matmul(zeros({4, 2, 0}), zeros({4, 0, 5})).to_vector(), Each(0));
  EXPECT_EQ(matmul(zeros({0}), zeros({0})).item(), 0);
  EXPECT_EQ(matmul(zeros({0, 2, 3}), zeros({3, 4})).shape(), Shape({0, 2, 4}));
}

TEST(MatmulError, InnerSizes) {
  EXPECT_THAT(
      [] {
        matmul(zeros({2, 3}), zeros({4, 5}));
      },
      ThrowsMessage<ShapeError>("matmul: expected a.shape[-1] == b.shape[-2], got 3 and 4; "
                                "a=[2, 3] b=[4, 5]"));
  EXPECT_THAT(
      [] {
        matmul(zeros({2, 3}), zeros({2}));
      },
      ThrowsMessage<ShapeError>("matmul: expected a.shape[-1] == b.shape[-1], got 3 and 2; "
                                "a=[2, 3] b=[2]"));
  EXPECT_THROW(matmul(zeros({2}), zeros({3, 2})), ShapeError);
}

TEST(MatmulError, ScalarsAndBatches) {
  EXPECT_THAT(
      [] {
        matmul(zeros({}), zeros({4, 5}));
      },
      ThrowsMessage<ShapeError>("matmul: expected ndim >= 1 for a and b, got 0 and 2; "
                                "a=[] b=[4, 5]"));
  EXPECT_THAT(
      [] {
        matmul(zeros({2, 2, 3}), zeros({3, 3, 5}));
      },
      ThrowsMessage<ShapeError>("matmul: expected batch axes that are equal or 1, got [2] "
                                "and [3]; a=[2, 2, 3] b=[3, 3, 5]"));
}

TEST(MatmulError, DTypesAndUndefined) {
  const Tensor a = ones({2, 3});
  EXPECT_THAT(
      [&] {
        matmul(a, zeros({3, 2}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>("matmul: expected one dtype for a and b, got "
                                           "float32 and float64; a=[2, 3] b=[3, 2]"));
  EXPECT_THAT(
      [] { matmul(arange(0, 3), arange(0, 3)); },
      ThrowsMessage<std::invalid_argument>("matmul: expected float32 or float64, got int64; "
                                           "a=[3] b=[3]"));
  EXPECT_THAT([&] { matmul(a, Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                                "matmul: expected a tensor, got an undefined one"));
  EXPECT_THROW(matmul(Tensor(), a), std::invalid_argument);
  EXPECT_THAT(a.to_vector(), Each(1));
}

}  // namespace
}  // namespace gradwalk
