#include "nn/diagnostics/probe_directions.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/diagnostics/pull_back.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

Tensor unit_rows(const Tensor& x) { return x / norm(x, /*axes=*/-1, /*keepdims=*/true); }

}  // namespace

ProbeDirections probe_directions(const Tensor& query, const Tensor& k_weight, std::int64_t count,
                                 Generator& generator) {
  const Operand left{"query", query.shape()};
  const Operand right{"k_weight", k_weight.shape()};
  if (query.ndim() != 1 || k_weight.ndim() != 2 || query.shape()[0] != k_weight.shape()[0] ||
      k_weight.shape()[1] < 2) {
    throw_shape_error("probe_directions", "query [Dh] and k_weight [Dh, D], D >= 2",
                      fmt::format("{} and {}", query.shape().str(), k_weight.shape().str()),
                      {left, right});
  }
  if (count < 1) {
    throw_argument_error("probe_directions", "count >= 1", fmt::format("{}", count), {left, right});
  }
  const Tensor pulled = to(pull_back(query, k_weight), DType::kFloat64);
  const double size = norm(pulled).item();
  if (!(size > 0) || !std::isfinite(size)) {
    throw_argument_error("probe_directions", "a finite W_K^T q other than 0",
                         fmt::format("length {}", size), {left, right});
  }
  const Tensor along = pulled / size;
  const Tensor random =
      unit_rows(normal({count, pulled.shape()[0]}, generator, DType::kFloat64));  // [count, D]
  Tensor orthogonal = random;
  for (int twice = 0; twice < 2; ++twice) {  // once leaves rounding behind
    orthogonal =
        unit_rows(orthogonal - sum(orthogonal * along, /*axes=*/-1, /*keepdims=*/true) * along);
  }
  return {to(along, query.dtype()), to(random, query.dtype()), to(orthogonal, query.dtype())};
}

}  // namespace gradwalk::nn
