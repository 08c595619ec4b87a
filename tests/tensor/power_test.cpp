#include "tensor/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/reference/power.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

// The reference is rounded to float32 from float64; a power in float32 may be a rounding off that.
TEST(Pow, WithANumberEqualsTheReference) {
  for_each_case("pow number", 280, [&](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    for (const double exponent : {2.0, 0.0, 1.0, 3.0, 0.5, -1.0, 1 / 3.0, -2.5, kInf}) {
      const Tensor want = reference::pow(x, exponent);
      const Tensor bound = test::sum_bound(test::finite_sizes(want), c.dtype(), 1);
      const Tensor y = pow(x, exponent);
      EXPECT_EQ(test::difference(y, want, bound), "") << "exponent " << exponent;
      EXPECT_EQ(y.dtype(), c.dtype());
    }
  });
}

TEST(Pow, OfTwoTensorsEqualsTheReference) {
  for_each_case("pow", 280, [&](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor a = c.tensor(c.narrowed(shape));
    const Tensor b = c.tensor(c.narrowed(shape));
    const Tensor want = reference::pow(a, b);
    const Tensor bound = test::sum_bound(test::finite_sizes(want), c.dtype(), 1);
    EXPECT_EQ(test::difference(pow(a, b), want, bound), "");
  });
}

TEST(Pow, ByHand) {
  const Tensor x = vector({3, -2, 0.5});
  EXPECT_THAT(pow(x, 2).to_vector(), ElementsAre(9, 4, 0.25));
  EXPECT_THAT(pow(x, 3).to_vector(), ElementsAre(27, -8, 0.125));
  EXPECT_THAT(pow(x, -1).to_vector(), ElementsAre(1 / 3.0F, -0.5, 2));
  EXPECT_THAT(pow(x, vector({2, 3, -2})).to_vector(), ElementsAre(9, -8, 4));
  EXPECT_THAT(pow(scalar(2), vector({-1, 0, 10})).to_vector(), ElementsAre(0.5, 1, 1024));
  EXPECT_EQ(pow(vector({1e-30}), 2).item(), 0);  // float32 underflows
}

TEST(Pow, SpecialPlacesFollowIeee754) {
  const double nan = std::nan("");
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor a = vector({0, 0, 0, nan, 1, -2, kInf}, dtype);
    const Tensor b = vector({0, 2, -1, 0, nan, 0.5, -1}, dtype);
    const Tensor want = vector({1, 0, kInf, 1, 1, nan, 0}, dtype);
    EXPECT_EQ(test::difference(pow(a, b), want, 0), "");
    EXPECT_TRUE(std::isnan(pow(scalar(-2, dtype), 0.5).item()));
    EXPECT_TRUE(std::isnan(pow(scalar(nan, dtype), 2).item()));
    EXPECT_TRUE(std::isnan(pow(scalar(2, dtype), nan).item()));
    EXPECT_EQ(pow(scalar(nan, dtype), 0).item(), 1);
  }
}

// A third, rounded to float32 first, would give a relative error of 1e-8 * log 1e30 = 7e-7.
TEST(Pow, ANumberIsNotRoundedToFloat32) {
  EXPECT_EQ(pow(vector({1e30}), 1 / 3.0).item(), static_cast<double>(1e10F));
}

TEST(PowError, NamesOpAndOperands) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { pow(x, zeros({2})); },
              ThrowsMessage<ShapeError>("pow: expected sizes that are equal or 1, aligned at the "
                                        "last axis, got 3 and 2 at axis -1; a=[2, 3] b=[2]"));
  EXPECT_THAT([&] { pow(x, zeros({3}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>("pow: expected one dtype for a and b, got "
                                                   "float32 and float64; a=[2, 3] b=[3]"));
  EXPECT_THAT(
      [&] { pow(arange(0, 3), 2); },
      ThrowsMessage<std::invalid_argument>("pow: expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT([&] { pow(arange(0, 3), arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>(
                  "pow: expected float32 or float64, got int64; a=[3] b=[3]"));
  const char* const undefined = "pow: expected a tensor, got an undefined one";
  EXPECT_THAT([&] { pow(Tensor(), 2); }, ThrowsMessage<std::invalid_argument>(undefined));
  EXPECT_THAT([&] { pow(Tensor(), x); }, ThrowsMessage<std::invalid_argument>(undefined));
  EXPECT_THAT([&] { pow(x, Tensor()); }, ThrowsMessage<std::invalid_argument>(undefined));
}

}  // namespace
}  // namespace gradwalk
