#include "nn/diagnostics/value_use.h"

#include <fmt/format.h>

#include "nn/diagnostics/cosine.h"
#include "tensor/compare.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"
#include "tensor/where.h"

namespace gradwalk::nn {
namespace {

void check_value_use(const char* op, const Tensor& weights, const Tensor& value) {
  check_defined(op, weights);
  check_defined(op, value);
  const Operand left{"weights", weights.shape()};
  const Operand right{"value", value.shape()};
  check_float(op, weights.dtype(), {left, right});
  check_same_dtype(op, left, weights.dtype(), right, value.dtype());
  const Shape& w = left.shape;
  const Shape& v = right.shape;
  const bool fits = w.ndim() == 4 && v.ndim() == 4 && w[0] == v[0] && v[1] > 0 &&
                    w[1] % v[1] == 0 && w[3] == v[2];
  if (!fits) {
    throw_shape_error(op, "weights [B, H, T, S] and value [B, G, S, E], H a multiple of G",
                      fmt::format("{} and {}", w.str(), v.str()), {left, right});
  }
}

Tensor wide_norms(const Tensor& weights, const Tensor& value) {
  const Shape& w = weights.shape();
  const std::int64_t groups = value.shape()[1];
  const Tensor lengths =
      reshape(length(to(value, DType::kFloat64)), {w[0], groups, 1, 1, w[3]});  // [B, G, 1, 1, S]
  const Tensor grouped =
      reshape(to(weights, DType::kFloat64), {w[0], groups, w[1] / groups, w[2], w[3]});
  return reshape(where(equal(grouped, 0), 0, abs(grouped) * lengths), w);
}

}  // namespace

Tensor weighted_value_norms(const Tensor& weights, const Tensor& value) {
  check_value_use("weighted_value_norms", weights, value);
  return to(wide_norms(weights, value), weights.dtype());
}

Tensor value_use(const Tensor& weights, const Tensor& value) {
  check_value_use("value_use", weights, value);
  const Tensor norms = wide_norms(weights, value);
  const Tensor total = sum(norms, /*axes=*/-1, /*keepdims=*/true);
  return to(norms / where(equal(total, 0), 1, total), weights.dtype());
}

}  // namespace gradwalk::nn
