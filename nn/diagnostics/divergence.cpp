#include "nn/diagnostics/divergence.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

void check_divergence(const char* op, const Tensor& p, const Tensor& q) {
  check_defined(op, p);
  check_defined(op, q);
  const Operand left{"p", p.shape()};
  const Operand right{"q", q.shape()};
  check_float(op, p.dtype(), {left, right});
  check_same_dtype(op, left, p.dtype(), right, q.dtype());
  if (p.ndim() == 0 || p.shape() != q.shape()) {
    throw_shape_error(op, "p and q of one shape, ndim >= 1",
                      fmt::format("{} and {}", p.shape().str(), q.shape().str()), {left, right});
  }
}

double kl_summand(double p, double q) {
  if (q < 0) return std::nan("");
  return p == 0 ? 0 * q : p * std::log(p / q);  // 0 * q: a NaN stays visible
}

template <class F>
Tensor sum_of(const Tensor& p, const Tensor& q, F summand) {
  std::vector<double> summands = p.to_vector();
  const std::vector<double> others = q.to_vector();
  for (std::size_t i = 0; i < summands.size(); ++i) summands[i] = summand(summands[i], others[i]);
  return to(sum(from_vector(summands, p.shape(), DType::kFloat64), /*axes=*/-1), p.dtype());
}

}  // namespace

Tensor kl_divergence(const Tensor& p, const Tensor& q) {
  check_divergence("kl_divergence", p, q);
  return sum_of(p, q, kl_summand);
}

Tensor total_variation(const Tensor& p, const Tensor& q) {
  check_divergence("total_variation", p, q);
  return sum_of(p, q, [](double a, double b) { return std::abs(a - b) / 2; });
}

}  // namespace gradwalk::nn
