// The fused kernels of attention against the naive loops, over random shapes, strides, masks and
// values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/attention.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  Tensor query, key, value, dy;
  AttentionOptions options;
};

template <std::size_t N>
std::int64_t one_of(RandomCase& c, const std::int64_t (&sizes)[N]) {
  return sizes[c.below(static_cast<std::int64_t>(N))];
}

// The case's class of values goes into one operand, or into all.
Problem drawn(RandomCase& c) {
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
  Problem p;
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

// [B, G, S, D] as [B, H, S, D]: each key/value head repeated for the heads that use it.
Tensor repeated(const Tensor& x, std::int64_t heads) {
  const Shape s = x.shape();
  return reshape(expand(unsqueeze(x, 2), {s[0], s[1], heads / s[1], s[2], s[3]}),
                 {s[0], heads, s[2], s[3]});
}

// The way back of `repeated`.
Tensor summed(const Tensor& x, std::int64_t kv_heads) {
  const Shape s = x.shape();
  return sum(reshape(x, {s[0], kv_heads, s[1] / kv_heads, s[2], s[3]}), 2);
}

// How far results may lie apart. The kernel's sums are in float64, so with u its rounding and e
// that of the dtype: a score is off by about (Dh + 8) u times the sizes of its products; a weight
// by twice that and the S roundings of the sum, relative to itself; y and each gradient by that and
// the lengths of the sums that follow, relative to the sum of the sizes of the summands. The
// backward pass starts from a y that was rounded to the dtype.
struct Bounds {
  Tensor y, dquery, dkey, dvalue;
};

// bound = relative * magnitude, nothing claimed where the magnitude leaves the dtype.
Tensor claimed(const Tensor& magnitude, const Tensor& bound, DType dtype, std::int64_t terms) {
  const bool single = dtype == DType::kFloat32;
  const double largest =
      single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double denormal =
      single ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  const std::vector<double> sizes = magnitude.to_vector();
  std::vector<double> within = bound.to_vector();
  for (std::size_t i = 0; i < within.size(); ++i) {
    within[i] += 64 * static_cast<double>(terms) * denormal;
    if (!(sizes[i] < 0.99 * largest) || std::isnan(within[i])) within[i] = kInfinity;
  }
  return from_vector(within, bound.shape(), DType::kFloat64);
}

Bounds bounds(const Problem& p) {
  const DType dtype = p.query.dtype();
  const double u = std::numeric_limits<double>::epsilon();
  const double e = dtype == DType::kFloat32 ? std::numeric_limits<float>::epsilon() : u;
  const std::int64_t heads = p.query.shape()[1];
  const std::int64_t kv_heads = p.key.shape()[1];
  const std::int64_t head_dim = p.query.shape()[3];
  const std::int64_t terms = p.key.shape()[2] + p.query.shape()[2] * heads + p.value.shape()[3];
  const Tensor q = test::finite_sizes(p.query);
  const Tensor k = repeated(test::finite_sizes(p.key), heads);
  const Tensor v = repeated(test::finite_sizes(p.value), heads);
  const Tensor dy = test::finite_sizes(p.dy);
  const double scale =
      std::abs(p.options.scale.value_or(1 / std::sqrt(static_cast<double>(head_dim))));
  const Tensor weights =
      test::finite_sizes(reference::attention_weights(p.query, p.key, p.options));

  Tensor scores = matmul(q, transpose(k)) * scale;
  if (p.options.additive_mask.defined()) {
    scores = scores + test::finite_sizes(p.options.additive_mask);
  }
  // One relative error for the whole problem, that of its worst row.
  double largest = 0;
  for (const double size : scores.to_vector()) largest = std::max(largest, size);
  double relative = 2 * static_cast<double>(head_dim + 8) * u * largest;
  if (!(relative < 0.01)) relative = kInfinity;
  relative = 2 * relative + static_cast<double>(4 * terms + 16) * u + 4 * e;

  const Tensor dweight = matmul(dy, transpose(v));                    // [B, H, T, S]
  const Tensor mean = sum(weights * dweight, -1, /*keepdims=*/true);  // [B, H, T, 1]
  const Tensor dscore = weights * (dweight + mean) * scale;
  const auto bound = [&](const Tensor& magnitude) {
    return claimed(magnitude, magnitude * relative, dtype, terms);
  };
  const Tensor y = matmul(weights, v);
  // Before they are divided by their total, the values are added with weights of up to 1.
  const Tensor y_sum = matmul(ones(weights.shape(), DType::kFloat64), v);
  const bool is_double = dtype == DType::kFloat64;
  return {claimed(is_double ? y_sum : y, y * relative, dtype, terms), bound(matmul(dscore, k)),
          bound(summed(matmul(transpose(dscore), q), kv_heads)),
          bound(summed(matmul(transpose(weights), dy), kv_heads))};
}

TEST(Attention, EqualsTheReference) {
  std::int64_t claims = 0;
  for_each_case("attention", 420, [&](RandomCase& c) {
    const Problem p = drawn(c);
    const Tensor y = attention(p.query, p.key, p.value, p.options);
    const Tensor bound = bounds(p).y;
    EXPECT_EQ(test::difference(y, reference::attention(p.query, p.key, p.value, p.options), bound),
              "");
    EXPECT_EQ(y.dtype(), c.dtype());
    EXPECT_TRUE(y.is_contiguous());
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
    const Problem p = drawn(c);
    const AttentionResult forward = attention_with_log_sum(p.query, p.key, p.value, p.options);
    const AttentionGrads grads =
        attention_backward(p.query, p.key, p.value, p.options, forward, p.dy);
    const AttentionGrads want =
        reference::attention_backward(p.query, p.key, p.value, p.options, p.dy);
    const Bounds bound = bounds(p);
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
