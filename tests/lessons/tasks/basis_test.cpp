#include "lessons/tasks/basis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::tasks {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr DType kF64 = DType::kFloat64;

TEST(InverseTranspose, ByHand) {
  EXPECT_EQ(test::difference(inverse_transpose(matrix({{2, 1}, {0, 4}}, kF64)),
                             matrix({{0.5, 0}, {-0.125, 0.25}}, kF64), 1e-15, 1e-15),
            "");
}

TEST(InverseTransposeError, NeedsAnInvertibleSquare) {
  EXPECT_THAT(
      [] {
        inverse_transpose(zeros({2, 3}));
      },
      ThrowsMessage<ShapeError>("inverse_transpose: expected r [N, N], got [2, 3]; r=[2, 3]"));
  EXPECT_THAT(
      [] {
        inverse_transpose(matrix({{1, 2}, {2, 4}}));
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("inverse_transpose: expected an invertible r, got singular values")));
}

TEST(InBasis, KeepsScoresAndMovesQueries) {
  Generator gen(1, "weights");
  const QueryKey head{normal({3, 5}, gen, kF64), normal({3, 5}, gen, kF64)};
  const Tensor r = normal({3, 3}, gen, kF64);
  const QueryKey other = in_basis(head, r);
  // Scores are x^T W_Q^T W_K x, whatever x.
  EXPECT_EQ(test::difference(matmul(transpose(other.query), other.key),
                             matmul(transpose(head.query), head.key), 1e-13),
            "");
  EXPECT_EQ(test::difference(other.query, matmul(r, head.query), 1e-15), "");
}

TEST(StretchedAxis, IsTheFirst) {
  EXPECT_EQ(test::difference(stretched_axis(2, 10), matrix({{10, 0}, {0, 1}}, kF64), 0), "");
}

}  // namespace
}  // namespace gradwalk::tasks
