#include "nn/diagnostics/entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/diagnostics/masked.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/where.h"

namespace gradwalk::nn {
namespace {

void check_entropy(const char* op, const char* which, const Tensor& x) {
  check_defined(op, x);
  check_float(op, x.dtype(), {{which, x.shape()}});
  if (x.ndim() == 0) throw_shape_error(op, "ndim >= 1", "0", {{which, x.shape()}});
}

double summand(double p) {
  if (p == 0) return 0;
  // A weight of 1 may be rounded up, which would give an entropy below 0.
  constexpr double kRounding = 1e-6;
  return p > 1 && p < 1 + kRounding ? 0 : -p * std::log(p);
}

Tensor wide_entropy(const Tensor& probs) {
  std::vector<double> summands = probs.to_vector();
  std::transform(summands.begin(), summands.end(), summands.begin(), summand);
  return sum(from_vector(summands, probs.shape(), DType::kFloat64), /*axes=*/-1);
}

// [...], how many keys each query may see.
Tensor num_visible(const Tensor& visible) { return sum(to(visible, DType::kFloat64), /*axes=*/-1); }

Tensor wide_normalized_entropy(const Tensor& weights, const Tensor& visible) {
  const Tensor counts = num_visible(visible);
  const Tensor has_choice = greater(counts, 1);
  const Tensor largest = where(has_choice, log(counts), 1);
  return where(has_choice, wide_entropy(weights) / largest, 0);
}

}  // namespace

Tensor entropy(const Tensor& probs) {
  check_entropy("entropy", "probs", probs);
  return to(wide_entropy(probs), probs.dtype());
}

Tensor normalized_entropy(const Tensor& weights, const Tensor& visible) {
  check_entropy("normalized_entropy", "weights", weights);
  const Tensor seen =
      stretched_mask("normalized_entropy", {"weights", weights}, {"visible", visible});
  return to(wide_normalized_entropy(weights, seen), weights.dtype());
}

Tensor head_entropy(const Tensor& weights, const Tensor& visible) {
  check_entropy("head_entropy", "weights", weights);
  if (weights.ndim() != 4) {
    throw_shape_error("head_entropy", "weights [B, H, T, S]", weights.shape().str(),
                      {{"weights", weights.shape()}});
  }
  const Tensor seen = stretched_mask("head_entropy", {"weights", weights}, {"visible", visible});
  const Tensor has_choice = greater(num_visible(seen), 1);  // [B, H, T]
  const Tensor total = sum(wide_normalized_entropy(weights, seen), {0, 2});
  return to(total / sum(to(has_choice, DType::kFloat64), {0, 2}), weights.dtype());
}

}  // namespace gradwalk::nn
