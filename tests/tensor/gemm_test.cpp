// What the blocks, copies and threads of a matrix product must not change.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/reference/linear.h"
#include "tensor/reference/matmul.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::difference;

struct Sizes {
  std::int64_t m, n, k;
};

enum class Layout { kRows, kColumns, kGaps, kSteps };
constexpr Layout kLayouts[] = {Layout::kRows, Layout::kColumns, Layout::kGaps, Layout::kSteps};

class Gemm : public testing::TestWithParam<DType> {
 protected:
  ~Gemm() override { set_num_threads(before_); }

  // Integers, so small that every sum is exact in any order: a block that is lost, doubled or
  // misplaced shows in the first element that is not equal.
  Tensor integers(const Shape& shape) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.numel(); ++i) {
      values.push_back(static_cast<double>(generator_.below(7) - 3));
    }
    return from_vector(values, shape, GetParam());
  }

  Tensor integers(std::int64_t rows, std::int64_t columns, Layout layout) {
    switch (layout) {
      case Layout::kRows:
        return integers({rows, columns});
      case Layout::kColumns:
        return transpose(integers({columns, rows}));
      case Layout::kGaps:
        return slice(integers({rows, columns + 3}), 1, 2, columns + 2);
      default:
        return slice(integers({rows, 2 * columns}), 1, 1, 2 * columns, 2);
    }
  }

  Tensor drawn(const Shape& shape) { return normal(shape, generator_, GetParam()); }

 private:
  Generator generator_{5, "gemm"};
  int before_ = num_threads();
};

INSTANTIATE_TEST_SUITE_P(Floats, Gemm, testing::Values(DType::kFloat32, DType::kFloat64),
                         [](const auto& dtype) { return name(dtype.param); });

// Past the block's columns and depth, the group's rows and a tile, with remainders of each.
TEST_P(Gemm, EveryLayoutAndBlockIsExact) {
  const Sizes all[] = {{3, 5, 600},  {49, 100, 513}, {17, 530, 70}, {130, 47, 40}, {2, 1100, 9},
                       {60, 33, 34}, {1, 700, 530},  {700, 1, 530}, {9, 1024, 12}, {1, 4300, 17}};
  for (const auto& [m, n, k] : all) {
    for (const Layout layout_a : kLayouts) {
      const Tensor a = integers(m, k, layout_a);
      for (const Layout layout_b : kLayouts) {
        const Tensor b = integers(k, n, layout_b);
        EXPECT_EQ(difference(matmul(a, b), reference::matmul(a, b), 0), "")
            << m << " x " << n << " x " << k << ", layouts " << static_cast<int>(layout_a) << ", "
            << static_cast<int>(layout_b);
      }
    }
  }
}

// b so large that it is copied block by block although its columns are beside each other.
TEST_P(Gemm, LargeProductIsExact) {
  const Tensor a = integers({300, 400}), b = integers({400, 701});
  EXPECT_EQ(difference(matmul(a, b), reference::matmul(a, b), 0), "");
}

TEST_P(Gemm, BatchesAreExactWhetherTheyShareBOrNot) {
  const auto check = [](const Tensor& a, const Tensor& b) {
    EXPECT_EQ(difference(matmul(a, b), reference::matmul(a, b), 0), "")
        << a.shape().str() << " " << b.shape().str();
  };
  check(integers({3, 7, 20}), integers({20, 30}));     // rows of one product
  check(integers({3, 2, 7, 20}), integers({20, 30}));  // the same over two axes
  check(permute(integers({7, 3, 20}), {1, 0, 2}), integers({20, 30}));
  check(permute(integers({3, 5, 20, 7}), {1, 0, 3, 2}), integers({20, 30}));
  check(integers({4, 1, 20}), integers({20, 30}));
  check(slice(integers({4, 3, 20}), 1, 1, 2), integers({20, 30}));  // one row of each
  check(expand(integers({1, 7, 20}), {3, 7, 20}), integers({20, 30}));
  check(integers({3, 1, 7, 20}), integers({2, 20, 30}));  // shared inside, not outside
  check(integers({2, 1, 7, 20}), integers({2, 1, 20, 30}));
  check(integers({7, 20}), integers({3, 20, 30}));
  check(integers({5, 7, 20}), transpose(integers({5, 30, 20})));
  check(integers({3, 7, 20}), integers({20}));
  check(integers({20}), integers({3, 20, 30}));
  check(integers({300, 16, 20}), integers({300, 20, 30}));  // shared out over threads
  check(integers({2, 130, 160}), integers({2, 160, 140}));  // each product shared out
}

TEST_P(Gemm, LinearIsExactWithBias) {
  for (const auto& [m, n, k] :
       {Sizes{3, 5, 4}, {1, 60, 70}, {70, 1, 90}, {50, 70, 1030}, {6, 9, 0}}) {
    const Tensor x = integers({m, k}), weight = integers({n, k}), bias = integers({n});
    const Tensor y = linear(x, weight, bias);
    EXPECT_EQ(difference(y, reference::linear(x, weight, bias), 0), "")
        << m << " " << n << " " << k;
    const Tensor dy = integers({m, n});
    const LinearGrads grads = linear_backward(x, weight, dy);
    EXPECT_EQ(difference(grads.dx, reference::matmul(dy, weight), 0), "");
    EXPECT_EQ(difference(grads.dweight, reference::matmul(transpose(dy), x), 0), "");
    const Tensor ones_row = ones({m}, GetParam());
    EXPECT_EQ(difference(grads.dbias, reference::matmul(ones_row, dy), 0), "");
  }
}

TEST_P(Gemm, LinearBackwardComputesOnlyWhatIsNeeded) {
  const Tensor x = integers({2, 3}), weight = integers({4, 3}), dy = integers({2, 4});
  const LinearGrads all = linear_backward(x, weight, dy);
  const LinearGrads first = linear_backward(x, weight, dy, {true, false, false});
  EXPECT_EQ(difference(first.dx, all.dx, 0), "");
  EXPECT_FALSE(first.dweight.defined() || first.dbias.defined());
  const LinearGrads rest = linear_backward(x, weight, dy, {false, true, true});
  EXPECT_FALSE(rest.dx.defined());
  EXPECT_EQ(difference(rest.dweight, all.dweight, 0), "");
  EXPECT_EQ(difference(rest.dbias, all.dbias, 0), "");
}

// A zero is a factor like any other: 0 * inf is NaN, in every lane, block and remainder.
TEST_P(Gemm, ZeroTimesInfinityIsNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [m, n, k] :
       {Sizes{1, 70, 20}, {70, 1, 20}, {9, 70, 20}, {2, 3, 1}, {60, 60, 600}}) {
    const Tensor a = zeros({m, k}, GetParam());
    for (const std::int64_t at : {std::int64_t{0}, k / 2, k - 1}) {
      std::vector<double> values(static_cast<std::size_t>(k * n), 1);
      for (std::int64_t j = 0; j < n; ++j) values[static_cast<std::size_t>(at * n + j)] = infinity;
      const Tensor b = from_vector(values, {k, n}, GetParam());
      for (const Tensor& right : {b, transpose(clone(transpose(b)))}) {
        for (const double y : matmul(a, right).to_vector()) EXPECT_TRUE(std::isnan(y));
      }
    }
  }
}

TEST_P(Gemm, SameBitsForAnyNumberOfThreads) {
  const Tensor bias = drawn({190}), x = drawn({2, 140, 150}), weight = drawn({190, 150});
  const Tensor dy = drawn({2, 140, 190});
  const Tensor a = drawn({130, 530}), b = drawn({530, 210}), c = drawn({210, 530});
  const Tensor long_row = drawn({1, 700}), tall = drawn({700, 900}), heads = drawn({40, 64, 48});
  const Tensor v = drawn({900});
  const std::function<std::vector<Tensor>()> suite = [&] {
    const LinearGrads grads = linear_backward(x, weight, dy);
    return std::vector<Tensor>{matmul(a, b),
                               matmul(a, transpose(c)),
                               matmul(transpose(b), transpose(a)),
                               matmul(long_row, tall),
                               matmul(transpose(tall), transpose(long_row)),
                               matmul(tall, v),
                               matmul(heads, transpose(heads)),
                               linear(x, weight, bias),
                               grads.dx,
                               grads.dweight,
                               grads.dbias};
  };
  set_num_threads(1);
  const std::vector<Tensor> want = suite();
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    const std::vector<Tensor> got = suite();
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(difference(got[i], want[i], 0), "") << "product " << i << ", threads " << threads;
    }
  }
}

}  // namespace
}  // namespace gradwalk
