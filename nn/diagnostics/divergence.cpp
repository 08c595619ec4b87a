#include "nn/diagnostics/divergence.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/checks.h"
#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

void check(const Tensor& p, const Tensor& q) {
  check_defined("kl_divergence", p);
  check_defined("kl_divergence", q);
  const Operand left{"p", p.shape()};
  const Operand right{"q", q.shape()};
  check_float("kl_divergence", p.dtype(), {left, right});
  check_same_dtype("kl_divergence", left, p.dtype(), right, q.dtype());
  if (p.ndim() == 0 || p.shape() != q.shape()) {
    throw_shape_error("kl_divergence", "p and q of one shape, ndim >= 1",
                      fmt::format("{} and {}", p.shape().str(), q.shape().str()), {left, right});
  }
}

double summand(double p, double q) {
  if (q < 0) return std::nan("");
  return p == 0 ? 0 * q : p * std::log(p / q);  // 0 * q: a NaN stays visible
}

}  // namespace

Tensor kl_divergence(const Tensor& p, const Tensor& q) {
  check(p, q);
  std::vector<double> summands = p.to_vector();
  const std::vector<double> expected = q.to_vector();
  for (std::size_t i = 0; i < summands.size(); ++i) {
    summands[i] = summand(summands[i], expected[i]);
  }
  return to(sum(from_vector(summands, p.shape(), DType::kFloat64), /*axes=*/-1), p.dtype());
}

}  // namespace gradwalk::nn
