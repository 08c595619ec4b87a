// contiguous and clone, at sizes where the copy kernel takes its fast ways.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/reduce.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

// 0, 1, 2, ... in x's own row-major order: a permuted copy shows where each element came from.
Tensor counted(const Shape& shape, DType dtype) {
  const Tensor numbers = arange(0, shape.numel());
  return to(reshape(numbers, shape), dtype);
}

void expect_copied(const Tensor& view) {
  const Tensor copy = contiguous(view);
  ASSERT_EQ(copy.shape(), view.shape());
  ASSERT_TRUE(copy.is_contiguous());
  ASSERT_EQ(copy.to_vector(), view.to_vector());  // which walks over the view's strides
}

TEST(Copy, EveryPermutationOfSizesAroundTheBlocks) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt64}) {
    for (const Shape& shape : {Shape{65, 130}, Shape{64, 64}, Shape{3, 67, 70}, Shape{5, 4, 66, 9},
                               Shape{1, 128, 1, 63}, Shape{7, 3, 129}}) {
      std::vector<int> order(static_cast<std::size_t>(shape.ndim()));
      std::iota(order.begin(), order.end(), 0);
      const Tensor x = counted(shape, dtype);
      do {
        expect_copied(permute(x, order));
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
}

TEST(Copy, BoolsAndSlicesAndStretchedAxes) {
  const Tensor x = counted({130, 140}, DType::kFloat32);
  expect_copied(to(x, DType::kBool));
  expect_copied(transpose(to(x - 7.0, DType::kBool)));
  expect_copied(transpose(slice(x, 1, 3, 100, 2)));
  expect_copied(slice(transpose(x), 0, 1, 129));
  expect_copied(transpose(slice(x, 0, 5, 77)));
  expect_copied(expand(unsqueeze(transpose(x), 1), {140, 3, 130}));
  expect_copied(transpose(expand(slice(x, 0, 2, 3), {90, 140})));
}

TEST(Copy, KeepsTheBitsOfNan) {
  const Tensor x = full({70, 66}, std::nan("1"));
  const Tensor y = contiguous(transpose(x));
  for (const double value : y.to_vector()) EXPECT_TRUE(std::isnan(value));
}

// Pieces, strips and rows, where each has a remainder; one thread and two give the same bits.
TEST(SumInPieces, EqualsTheSumByHandForAnyNumberOfThreads) {
  struct Case {
    Shape shape;
    std::vector<int> axes;
  };
  const int threads = num_threads();
  for (const Case& c : {Case{{200'003}, {0}}, Case{{37, 5'003}, {1}}, Case{{300, 1'031}, {0}},
                        Case{{5'003, 7}, {0}}, Case{{3, 2'001, 64}, {0, 1}}}) {
    Axes axes;
    for (const int axis : c.axes) axes.push_back(axis);
    Generator generator(3, "sum in pieces");
    const Tensor x = normal(c.shape, generator, DType::kFloat32);
    set_num_threads(1);
    const Tensor one = sum(x, axes);
    const Tensor columns = sum(transpose(x.ndim() < 2 ? unsqueeze(x, 0) : x), -1);
    set_num_threads(2);
    EXPECT_EQ(sum(x, axes).to_vector(), one.to_vector());
    EXPECT_EQ(sum(transpose(x.ndim() < 2 ? unsqueeze(x, 0) : x), -1).to_vector(),
              columns.to_vector());
    // Added up in float64 either way and rounded once to float32.
    const Tensor want = reference::sum(to(x, DType::kFloat64), c.axes, /*keepdims=*/false);
    EXPECT_EQ(test::difference(one, want, 6e-8, 1e-10), "") << c.shape.str();
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace gradwalk
