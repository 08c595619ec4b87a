#include "nn/diagnostics/qk_match.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/diagnostics/cosine.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

bool fit(const Shape& query, const Shape& keys) {
  if (query.ndim() < 1 || keys.ndim() < 2) return false;
  if (query[-1] != keys[-1] || query[-1] == 0) return false;
  for (int axis = -2; axis >= -query.ndim() && axis > -keys.ndim(); --axis) {
    const std::int64_t a = query[axis];
    const std::int64_t b = keys[axis - 1];
    if (a != b && a != 1 && b != 1) return false;
  }
  return true;
}

void check_qk_match(const Tensor& query, const Tensor& keys) {
  check_defined("qk_match", query);
  check_defined("qk_match", keys);
  const Operand left{"query", query.shape()};
  const Operand right{"keys", keys.shape()};
  check_float("qk_match", query.dtype(), {left, right});
  check_same_dtype("qk_match", left, query.dtype(), right, keys.dtype());
  if (!fit(left.shape, right.shape)) {
    throw_shape_error(
        "qk_match", "query [..., Dh] and keys [..., S, Dh], Dh >= 1, whose axes in front broadcast",
        fmt::format("{} and {}", left.shape.str(), right.shape.str()), {left, right});
  }
}

}  // namespace

QkMatch qk_match(const Tensor& query, const Tensor& keys, const Tensor& group,
                 const Tensor& control, std::optional<double> scale) {
  check_qk_match(query, keys);
  const Tensor q = unsqueeze(to(query, DType::kFloat64), -2);  // [..., 1, Dh]
  const Tensor k = to(keys, DType::kFloat64);
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.shape()[-1])));
  const Tensor cosines = cosine(q, k);
  const Tensor logits = sum(mul(q, k), /*axes=*/-1) * factor;
  return {to(cosines, query.dtype()), to(logits, query.dtype()),
          compare_groups(cosines, group, control), compare_groups(logits, group, control)};
}

}  // namespace gradwalk::nn
