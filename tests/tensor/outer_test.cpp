#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/matmul.h"
#include "tensor/reference/matmul.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

// One product an element, which float64 holds exactly for float32: the bits are equal.
TEST(Outer, EqualsTheReference) {
  for_each_case("outer", 280, [](RandomCase& c) {
    const Tensor a = c.tensor(c.shape(1, 1));
    const Tensor b = c.tensor(c.shape(1, 1));
    EXPECT_EQ(difference(outer(a, b), reference::outer(a, b), 0), "");
    const Tensor i = c.tensor(c.shape(1, 1), DType::kInt64, Values::kIntegers);
    EXPECT_EQ(difference(outer(i, i), reference::outer(i, i), 0), "");
  });
}

TEST(Outer, SmallCases) {
  EXPECT_THAT(outer(vector({1, 2}), vector({3, 4, 5})).to_vector(), ElementsAre(3, 4, 5, 6, 8, 10));
  EXPECT_EQ(outer(zeros({0}), zeros({3})).shape(), Shape({0, 3}));
}

TEST(OuterError, TextsAndOperands) {
  const Tensor a = vector({1, 2});
  const std::uint64_t version = a.version();
  EXPECT_THAT(
      [&] {
        outer(a, zeros({2, 2}));
      },
      ThrowsMessage<ShapeError>("outer: expected vectors a and b, got ndim 1 and 2; a=[2] "
                                "b=[2, 2]"));
  EXPECT_THAT([&] { outer(a, zeros({2}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>("outer: expected one dtype for a and b, got "
                                                   "float32 and float64; a=[2] b=[2]"));
  EXPECT_THAT([] { outer(ones({2}, DType::kBool), ones({1}, DType::kBool)); },
              ThrowsMessage<std::invalid_argument>("outer: expected float32, float64 or int64, got "
                                                   "bool; a=[2] b=[1]"));
  EXPECT_THAT([&] { outer(a, Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                               "outer: expected a tensor, got an undefined one"));
  EXPECT_EQ(a.version(), version);
}

}  // namespace
}  // namespace gradwalk
