#include "attention_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/attention.h"

namespace gradwalk::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

double largest_of(const Tensor& x) {
  double largest = 0;
  for (const double size : x.to_vector()) largest = std::max(largest, size);
  return largest;
}

// The bound, with what denormal numbers lose; nothing is claimed where the sum of the sizes of the
// summands leaves the dtype.
Tensor claimed(const Tensor& magnitude, const Tensor& bound, const Limits& limits, double terms) {
  const std::vector<double> sizes = magnitude.to_vector();
  std::vector<double> within = bound.to_vector();
  for (std::size_t i = 0; i < within.size(); ++i) {
    within[i] += 64 * terms * limits.denormal;
    if (!(sizes[i] < 0.99 * limits.largest) || std::isnan(within[i])) within[i] = kInfinity;
  }
  return from_vector(within, bound.shape(), DType::kFloat64);
}

}  // namespace

// All is computed in the dtype, whose epsilon e is two roundings. A sum of n products, one after
// the other, is off by n e / 2 times the sum of their sizes. So:
//
//   score       Dh products; the query times scale log2(e), both rounded; a mask times log2(e) and
//               its addition: (Dh / 2 + 3) e times the sizes of all that, s
//   weight      twice a score's error (its own and that of the largest score or the log-sum), their
//               difference (at most 2 s e / 2), the log-sum's rounding (s e / 2), exp2 (3 e):
//               (Dh + 8) e s + 3 e, relative to the weight; what is below the smallest normal
//               number may be 0
//   total, y    S more roundings each, and two for the quotient
//   dscore      the weight, dweight and the mean of dweight, which comes from y: twice the above
//               and 2 Dv products
//   gradients   dscore or the weight, and S or T H / G products
//
// All of it is at most 2 (2 (Dh + 8) e s) + (2 (S + T H / G + Dv) + 32) e, relative to the sums of
// sizes with every weight as large as it is.
AttentionBounds attention_bounds(const AttentionProblem& p) {
  const Limits limits(p.query.dtype());
  const std::int64_t heads = p.query.shape()[1];
  const std::int64_t kv_heads = p.key.shape()[1];
  const std::int64_t head_dim = p.query.shape()[3];
  const std::int64_t shared_by = kv_heads > 0 ? heads / kv_heads : 0;
  const auto terms =
      static_cast<double>(p.key.shape()[2] + p.query.shape()[2] * shared_by + p.value.shape()[3]);
  const Tensor q = finite_sizes(p.query);
  const Tensor k = repeated(finite_sizes(p.key), heads);
  const Tensor v = repeated(finite_sizes(p.value), heads);
  const Tensor dy = finite_sizes(p.dy);
  const double scale =
      std::abs(p.options.scale.value_or(1 / std::sqrt(static_cast<double>(head_dim))));
  const Tensor weights = finite_sizes(reference::attention_weights(p.query, p.key, p.options));

  Tensor scores = matmul(q, transpose(k)) * scale;
  if (p.options.additive_mask.defined()) {
    scores = scores + finite_sizes(p.options.additive_mask);
  }
  // One relative error for the whole problem, that of its worst row.
  double relative = 2 * static_cast<double>(head_dim + 8) * limits.epsilon * largest_of(scores);
  if (!(relative < 0.01)) relative = kInfinity;
  relative = 2 * relative + (2 * terms + 32) * limits.epsilon;
  const Tensor off = weights * relative + limits.smallest;

  const Tensor dweight = matmul(dy, transpose(v));                    // [B, H, T, S]
  const Tensor mean = sum(weights * dweight, -1, /*keepdims=*/true);  // [B, H, T, 1]
  const Tensor from_mean = dweight + mean;
  const Tensor sizes = from_mean * scale;
  // Before they are divided by their total, the values are added with weights of up to 1.
  const Tensor y_sum = matmul(ones(weights.shape(), DType::kFloat64), v);
  // What is beyond the dtype on the way is not saved by a small weight.
  const double on_the_way = std::max(largest_of(from_mean), largest_of(y_sum));
  const double overflows = on_the_way < 0.99 * limits.largest ? 0 : kInfinity;
  const auto bound = [&](const Tensor& magnitude, const Tensor& error) {
    return claimed(magnitude + overflows, error, limits, terms);
  };
  return {claimed(y_sum, matmul(off, v), limits, terms),
          bound(matmul(weights * sizes, k), matmul(off * sizes, k)),
          bound(summed(matmul(transpose(weights * sizes), q), kv_heads),
                summed(matmul(transpose(off * sizes), q), kv_heads)),
          bound(summed(matmul(transpose(weights), dy), kv_heads),
                summed(matmul(transpose(off), dy), kv_heads))};
}

}  // namespace gradwalk::test
