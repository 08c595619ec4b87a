// The fused kernels of attention against the naive loops, over random shapes, strides, masks and
// values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention_bounds.h"
#include "support.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/reference/attention.h"

namespace gradwalk {
namespace {

using test::attention_bounds;
using test::AttentionBounds;
using test::AttentionProblem;
using test::for_each_case;
using test::RandomCase;
using test::Values;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <std::size_t N>
std::int64_t one_of(RandomCase& c, const std::int64_t (&sizes)[N]) {
  return sizes[c.below(static_cast<std::int64_t>(N))];
}

// The case's class of values goes into one operand, or into all.
AttentionProblem drawn(RandomCase& c) {
  const std::int64_t batch = one_of(c, {1, 1, 2});
  const std::int64_t kv_heads = one_of(c, {1, 1, 2, 3});
  const std::int64_t heads = kv_heads * one_of(c, {1, 1, 2, 3, 0});
  const std::int64_t queries = one_of(c, {0, 1, 2, 3, 5, 8});
  const std::int64_t keys = one_of(c, {0, 1, 2, 3, 5, 8, 33, 63, 64, 65, 130});
  const std::int64_t head_dim = one_of(c, {1, 2, 3, 8, 11, 16});
  const std::int64_t value_dim = one_of(c, {0, 1, 2, 5, 8, 17});
  const std::int64_t special = c.below(6);
  const auto tensor = [&](std::int64_t operand, const Shape& shape) {
    const bool plain = special != operand && special != 5;
    return c.tensor(shape, c.dtype(), plain ? Values::kPlain : c.values());
  };
  AttentionProblem p;
  p.query = tensor(0, {batch, heads, queries, head_dim});
  p.key = tensor(1, {batch, kv_heads, keys, head_dim});
  p.value = tensor(2, {batch, kv_heads, keys, value_dim});
  p.dy = tensor(3, {batch, heads, queries, value_dim});
  p.options.causal = c.below(2) == 0;
  if (c.below(2) == 0) p.options.scale = 2 * c.generator().uniform() - 0.5;
  if (c.below(2) == 0) {
    p.options.key_padding_mask = c.tensor({batch, keys}, DType::kBool, Values::kPlain);
  }
  const Shape mask = c.narrowed({batch, heads, queries, keys});
  if (const auto kind = c.below(3); kind == 1) {
    p.options.additive_mask = tensor(4, mask);
  } else if (kind == 2) {
    std::vector<double> biases;
    for (std::int64_t i = 0; i < mask.numel(); ++i) {
      biases.push_back(c.below(3) == 0 ? -kInfinity : c.generator().normal());
    }
    p.options.additive_mask = from_vector(biases, mask, c.dtype());
  }
  return p;
}

TEST(Attention, EqualsTheReference) {
  std::int64_t claims = 0;
  for_each_case("attention", 420, [&](RandomCase& c) {
    const AttentionProblem p = drawn(c);
    const Tensor y = attention(p.query, p.key, p.value, p.options);
    const Tensor bound = attention_bounds(p).y;
    EXPECT_EQ(test::difference(y, reference::attention(p.query, p.key, p.value, p.options), bound),
              "");
    EXPECT_EQ(y.dtype(), c.dtype());
    for (const double within : bound.to_vector()) claims += within < 1e-3 ? 1 : 0;
  });
  EXPECT_GT(claims, 10000);  // the bounds are not empty words
}

// Whether infinities come out of a difference as an infinity or as NaN depends on the order of
// sums.
Tensor without_infinities(const Tensor& x) {
  std::vector<double> values = x.to_vector();
  for (double& value : values) value = std::isinf(value) ? std::nan("") : value;
  return from_vector(values, x.shape(), x.dtype());
}

TEST(Attention, BackwardEqualsTheReference) {
  for_each_case("attention_backward", 420, [](RandomCase& c) {
    const AttentionProblem p = drawn(c);
    const AttentionResult forward = attention_with_log_sum(p.query, p.key, p.value, p.options);
    const AttentionGrads grads =
        attention_backward(p.query, p.key, p.value, p.options, forward, p.dy);
    const AttentionGrads want =
        reference::attention_backward(p.query, p.key, p.value, p.options, p.dy);
    const AttentionBounds bound = attention_bounds(p);
    const auto differ = [](const Tensor& got, const Tensor& wanted, const Tensor& within) {
      return test::difference(without_infinities(got), without_infinities(wanted), within);
    };
    EXPECT_EQ(differ(grads.dquery, want.dquery, bound.dquery), "") << "dquery";
    EXPECT_EQ(differ(grads.dkey, want.dkey, bound.dkey), "") << "dkey";
    EXPECT_EQ(differ(grads.dvalue, want.dvalue, bound.dvalue), "") << "dvalue";
  });
}

}  // namespace
}  // namespace gradwalk
