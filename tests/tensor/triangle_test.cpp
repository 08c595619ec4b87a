#include "tensor/triangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reference/triangle.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(Triangle, EqualsTheReference) {
  for_each_case("triangle", 280, [](RandomCase& c) {
    const Shape shape = c.shape(2);
    const std::int64_t diagonal = c.below(13) - 6;
    for (const Tensor& x : {c.tensor(shape), c.tensor(shape, DType::kInt64, Values::kHuge),
                            c.tensor(shape, DType::kBool, Values::kIntegers)}) {
      const Tensor lower = tril(x, diagonal);
      EXPECT_EQ(difference(lower, reference::tril(x, diagonal), 0), "");
      EXPECT_EQ(difference(triu(x, diagonal), reference::triu(x, diagonal), 0), "");
      EXPECT_EQ(lower.dtype(), x.dtype());
    }
  });
}

TEST(Triangle, SmallCases) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(tril(x).to_vector(), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(tril(x, 1).to_vector(), ElementsAre(1, 2, 0, 4, 5, 6));
  EXPECT_THAT(tril(x, -1).to_vector(), ElementsAre(0, 0, 0, 4, 0, 0));
  EXPECT_THAT(triu(x).to_vector(), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(triu(x, 1).to_vector(), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(triu(x, -1).to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(tril(expand(x, {2, 2, 3})).to_vector(),
              ElementsAre(1, 0, 0, 4, 5, 0, 1, 0, 0, 4, 5, 0));
}

TEST(Triangle, DiagonalsPastTheCorners) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const Tensor x = ones({2, 3});
  for (const std::int64_t far : {std::int64_t{3}, kMost}) {
    EXPECT_THAT(tril(x, far).to_vector(), Each(1));
    EXPECT_THAT(triu(x, far).to_vector(), Each(0));
  }
  for (const std::int64_t far : {std::int64_t{-2}, kLeast}) {
    EXPECT_THAT(tril(x, far).to_vector(), Each(0));
    EXPECT_THAT(triu(x, far).to_vector(), Each(1));
  }
}

// Multiplying with a mask of ones and zeros would keep the NaN.
TEST(Triangle, NanAndInfinityOutsideAreZeros) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = matrix({{1, std::nan("")}, {-inf, 2}});
  EXPECT_THAT(tril(x).to_vector(), ElementsAre(1, 0, -inf, 2));
  EXPECT_EQ(triu(x).at({1, 0}), 0);
}

// A causal mask aligned at the top left corner hid the whole cache from new queries. That of two
// queries on five keys ends at the last key (BR-22).
TEST(Triangle, CausalMaskIsAlignedAtItsEndBr22) {
  const nlohmann::json report = test::bug_report("BR-22");
  GRADWALK_SKIP_WITHOUT(report);
  const std::int64_t t = report["inputs"]["q_len"].get<std::int64_t>();
  const std::int64_t s = report["inputs"]["k_len"].get<std::int64_t>();
  const Tensor want = test::tensor_from(report["expected"]["keep_mask"], DType::kBool);
  EXPECT_EQ(difference(tril(ones({t, s}, DType::kBool), s - t), want, 0), "");
}

TEST(Triangle, Empty) {
  EXPECT_EQ(tril(zeros({0, 3})).shape(), Shape({0, 3}));
  EXPECT_EQ(triu(zeros({2, 3, 0})).shape(), Shape({2, 3, 0}));
}

TEST(TriangleError, TextsAndOperands) {
  const Tensor x = vector({1, 2, 3});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { tril(x); },
              ThrowsMessage<ShapeError>("tril: expected ndim >= 2, got 1; x=[3]"));
  EXPECT_THAT([] { triu(scalar(1)); },
              ThrowsMessage<ShapeError>("triu: expected ndim >= 2, got 0; x=[]"));
  EXPECT_THAT([] { tril(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                          "tril: expected a tensor, got an undefined one"));
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
