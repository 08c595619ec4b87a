#include "nn/diagnostics/head_contribution.h"

#include <fmt/format.h>

#include "tensor/compare.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/where.h"

namespace gradwalk::nn {
namespace {

void check_head_contribution(const Tensor& x, const Tensor& o_weight) {
  check_defined("head_contributions", x);
  check_defined("head_contributions", o_weight);
  const Operand left{"x", x.shape()};
  const Operand right{"o_weight", o_weight.shape()};
  check_float("head_contributions", x.dtype(), {left, right});
  check_same_dtype("head_contributions", left, x.dtype(), right, o_weight.dtype());
  const bool fits = x.ndim() == 4 && o_weight.ndim() == 2 && x.shape()[1] > 0 && x.shape()[3] > 0 &&
                    o_weight.shape()[1] % (x.shape()[1] * x.shape()[3]) == 0;
  if (!fits) {
    throw_shape_error(
        "head_contributions", "x [B, G, T, Dh] and o_weight [D, H Dh], H a multiple of G",
        fmt::format("{} and {}", x.shape().str(), o_weight.shape().str()), {left, right});
  }
}

}  // namespace

Tensor head_contributions(const Tensor& x, const Tensor& o_weight) {
  check_head_contribution(x, o_weight);
  const std::int64_t batch = x.shape()[0];
  const std::int64_t groups = x.shape()[1];
  const std::int64_t seq_len = x.shape()[2];
  const std::int64_t head_dim = x.shape()[3];
  const std::int64_t d_model = o_weight.shape()[0];
  const std::int64_t num_heads = o_weight.shape()[1] / head_dim;
  const Tensor columns = permute(
      reshape(to(o_weight, DType::kFloat64), {d_model, groups, num_heads / groups, head_dim}),
      {1, 2, 3, 0});                                                       // [G, H / G, Dh, D]
  const Tensor y = matmul(unsqueeze(to(x, DType::kFloat64), 2), columns);  // [B, G, H / G, T, D]
  return to(reshape(y, {batch, num_heads, seq_len, d_model}), x.dtype());
}

Tensor output_share(const Tensor& contributions) {
  check_defined("output_share", contributions);
  check_float("output_share", contributions.dtype(), {{"contributions", contributions.shape()}});
  if (contributions.ndim() != 4) {
    throw_shape_error("output_share", "contributions [B, H, T, D]", contributions.shape().str(),
                      {{"contributions", contributions.shape()}});
  }
  const Tensor y = to(contributions, DType::kFloat64);
  const Tensor energies = sum(mul(y, y), {0, 2, 3});
  const Tensor total = sum(energies);
  return to(energies / where(equal(total, 0), 1, total), contributions.dtype());
}

}  // namespace gradwalk::nn
