#include "nn/diagnostics/pull_back.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"
#include "tensor/matmul.h"

namespace gradwalk::nn {

Tensor pull_back(const Tensor& query, const Tensor& k_weight) {
  check_defined("pull_back", query);
  check_defined("pull_back", k_weight);
  const Operand left{"query", query.shape()};
  const Operand right{"k_weight", k_weight.shape()};
  check_float("pull_back", query.dtype(), {left, right});
  check_same_dtype("pull_back", left, query.dtype(), right, k_weight.dtype());
  if (query.ndim() < 1 || k_weight.ndim() != 2 || query.shape()[-1] != k_weight.shape()[0]) {
    throw_shape_error("pull_back", "query [..., Dh] and k_weight [Dh, D]",
                      fmt::format("{} and {}", query.shape().str(), k_weight.shape().str()),
                      {left, right});
  }
  return to(matmul(to(query, DType::kFloat64), to(k_weight, DType::kFloat64)), query.dtype());
}

}  // namespace gradwalk::nn
