#include "tensor/rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/rope.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ThrowsMessage;

constexpr RopeOptions kInterleaved{};
constexpr RopeOptions kHalves{.layout = RopeLayout::kHalves};

// Sizes of each pair, |a| + |b|, at both of its places: what bounds each of its two results.
Tensor pair_sizes(const Tensor& x, RopeLayout layout) {
  const Tensor sizes = test::finite_sizes(x);
  std::vector<double> both = sizes.to_vector();
  const auto width = static_cast<std::size_t>(x.shape()[-1]);
  const bool halves = layout == RopeLayout::kHalves;
  for (std::size_t row = 0; row < both.size(); row += width) {
    for (std::size_t pair = 0; pair < width / 2; ++pair) {
      double& a = both[row + (halves ? pair : 2 * pair)];
      double& b = both[row + (halves ? pair + width / 2 : 2 * pair + 1)];
      a = b = a + b;
    }
  }
  return from_vector(both, x.shape(), DType::kFloat64);
}

// A sine and a cosine to 3 ulp of the dtype, of 1 at most; a product and a sum, with one rounding
// or two; and the reference's own, as many, in float64.
TEST(Rope, EqualsTheReference) {
  for_each_case("rope", 350, [](RandomCase& c) {
    Shape shape = c.shape(0, 3);
    while (shape.numel() > 40) shape = c.shape(0, 3);
    const std::int64_t rows = c.below(9);
    shape.push_back(rows);
    shape.push_back(2 * c.below(c.below(4) == 0 ? 20 : 5));
    RopeOptions options;
    options.base = c.below(2) == 0 ? 10000 : 1 + 50 * c.generator().uniform();
    options.layout = c.below(2) == 0 ? RopeLayout::kInterleaved : RopeLayout::kHalves;
    const Tensor x = c.tensor(shape);
    const Tensor positions = c.tensor({rows}, DType::kInt64, c.values());
    const Tensor bound = test::sum_bound(pair_sizes(x, options.layout), c.dtype(), 6);
    const Tensor y = rope(x, positions, options);
    EXPECT_EQ(test::difference(y, reference::rope(x, positions, options), bound), "");
    EXPECT_EQ(y.dtype(), c.dtype());
    const Tensor back = rope_backward(x, positions, options);
    EXPECT_EQ(test::difference(back, reference::rope(x, neg(positions), options), bound), "");
  });
}

// Heads that stand beside each other for each position do so in the result.
TEST(Rope, KeepsTheLayoutOfItsHeads) {
  Generator generator(4, "x");
  const Tensor x = normal({2, 5, 3, 8}, generator);
  const Tensor view = permute(x, {0, 2, 1, 3});
  for (const RopeOptions& options : {kInterleaved, kHalves}) {
    const Tensor y = rope(view, 2, options);
    EXPECT_EQ(test::difference(y, rope(clone(view), 2, options), 0), "");
    EXPECT_TRUE(permute(y, {0, 2, 1, 3}).is_contiguous());
    EXPECT_TRUE(rope(clone(view), 2, options).is_contiguous());
  }
}

// Four features at position 1: the angles are 1 and 10000^(-1/2) = 0.01 radians.
TEST(Rope, SmallCaseByHand) {
  const Tensor x = matrix({{1, 2, 3, 4}}, DType::kFloat64);
  const double c0 = std::cos(1.0), s0 = std::sin(1.0), c1 = std::cos(0.01), s1 = std::sin(0.01);
  const Tensor neighbours =
      matrix({{c0 - 2 * s0, s0 + 2 * c0, 3 * c1 - 4 * s1, 3 * s1 + 4 * c1}}, DType::kFloat64);
  EXPECT_EQ(test::difference(rope(x, 1, kInterleaved), neighbours, 1e-15), "");
  const Tensor halves =
      matrix({{c0 - 3 * s0, 2 * c1 - 4 * s1, s0 + 3 * c0, 2 * s1 + 4 * c1}}, DType::kFloat64);
  EXPECT_EQ(test::difference(rope(x, 1, kHalves), halves, 1e-15), "");
}

TEST(Rope, StartsAtAnyPosition) {
  Generator generator(1, "x");
  const Tensor x = normal({2, 3, 5, 8}, generator);
  const auto same = [](const Tensor& a, const Tensor& b) { return test::difference(a, b, 0); };
  EXPECT_EQ(same(rope(x), rope(x, arange(0, 5))), "");
  EXPECT_EQ(same(rope(x, 7), rope(x, arange(7, 12))), "");
  // Position 0 turns nothing; a cache feeds the rows one by one.
  EXPECT_EQ(same(slice(rope(x), 2, 0, 1), slice(x, 2, 0, 1)), "");
  EXPECT_EQ(same(slice(rope(x), 2, 3, 4), rope(slice(x, 2, 3, 4), 3)), "");
}

// What rope is for: the product of a query and a key depends on their distance only, and no length
// changes.
TEST(Rope, ProductsDependOnTheDistanceOnly) {
  for (const RopeOptions& options : {kInterleaved, kHalves}) {
    Generator generator(2, "query and key");
    const Tensor query = normal({1, 64}, generator, DType::kFloat64);
    const Tensor key = normal({1, 64}, generator, DType::kFloat64);
    const auto score = [&](std::int64_t i, std::int64_t j) {
      return matmul(rope(query, i, options), transpose(rope(key, j, options))).item();
    };
    EXPECT_NEAR(score(9, 4), score(105, 100), 1e-11);
    EXPECT_NEAR(score(9, 4), score(-2, -7), 1e-11);
    EXPECT_GT(std::abs(score(9, 4) - score(9, 5)), 1e-3);
    const Tensor turned = rope(query, 123, options);
    EXPECT_NEAR(sum(turned * turned).item(), sum(query * query).item(), 1e-11);
  }
}

TEST(Rope, TurningBackGivesTheInput) {
  Generator generator(3, "x");
  const Tensor x = normal({2, 6, 10}, generator, DType::kFloat64);
  const Tensor positions = from_vector({5, 0, 1000, -3, 2, 2}, {6}, DType::kInt64);
  const Tensor back = rope_backward(rope(x, positions, kHalves), positions, kHalves);
  EXPECT_EQ(test::difference(back, x, 0, 1e-14), "");
}

TEST(Rope, NanStaysInItsPair) {
  const double nan = std::nan("");
  const std::vector<double> y = rope(matrix({{nan, 1, 2, 3}}), 5).to_vector();
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  EXPECT_TRUE(std::isfinite(y[2]) && std::isfinite(y[3]));
}

TEST(RopeError, NamesOpOperandsAndShapes) {
  const Tensor x = ones({2, 3, 4});
  EXPECT_THAT([] { rope(ones({4})); },
              ThrowsMessage<ShapeError>("rope: expected ndim >= 2, got 1; x=[4]"));
  EXPECT_THAT(
      [] {
        rope(ones({2, 3}));
      },
      ThrowsMessage<ShapeError>("rope: expected x.shape[-1] even, got 3; x=[2, 3]"));
  EXPECT_THAT([&] { rope(x, arange(0, 4)); },
              ThrowsMessage<ShapeError>("rope: expected positions.shape == [3], got [4]; "
                                        "x=[2, 3, 4] positions=[4]"));
  EXPECT_THAT([&] { rope(x, ones({3})); },
              ThrowsMessage<std::invalid_argument>("rope: expected positions int64, got float32; "
                                                   "x=[2, 3, 4] positions=[3]"));
  EXPECT_THAT([&] { rope(to(x, DType::kInt64)); },
              ThrowsMessage<std::invalid_argument>(
                  "rope: expected float32 or float64, got int64; x=[2, 3, 4]"));
  EXPECT_THAT([&] { rope(x, 0, {.base = 0}); },
              ThrowsMessage<std::invalid_argument>("rope: expected 0 < base < inf, got 0"));
  EXPECT_THAT([&] { rope(x, 0, {.base = std::nan("")}); },
              ThrowsMessage<std::invalid_argument>("rope: expected 0 < base < inf, got nan"));
  EXPECT_THAT([&] { rope(x, std::numeric_limits<std::int64_t>::max()); },
              ThrowsMessage<std::invalid_argument>(
                  "rope: expected start + T within 63 bits, got start 9223372036854775807; "
                  "x=[2, 3, 4]"));
  for (const auto& call : {std::pair{Tensor(), arange(0, 3)}, std::pair{x, Tensor()}}) {
    EXPECT_THAT(
        [&] { rope(call.first, call.second); },
        ThrowsMessage<std::invalid_argument>("rope: expected a tensor, got an undefined one"));
  }
  EXPECT_THAT([] { rope(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                          "rope: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { rope_backward(x, arange(0, 2)); },
              ThrowsMessage<ShapeError>("rope_backward: expected positions.shape == [3], got [2]; "
                                        "dy=[2, 3, 4] positions=[2]"));
  EXPECT_THAT(x.to_vector(), Each(1));
}

}  // namespace
}  // namespace gradwalk
