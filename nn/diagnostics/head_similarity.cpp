#include "nn/diagnostics/head_similarity.h"

#include <algorithm>
#include <cmath>

#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

void check_head_similarity(const char* op, const char* which, const char* expected,
                           const Tensor& x) {
  check_defined(op, x);
  check_float(op, x.dtype(), {{which, x.shape()}});
  if (x.ndim() != 4) throw_shape_error(op, expected, x.shape().str(), {{which, x.shape()}});
}

// The summand of one key. Equal weights give exactly 0, as differences of entropies would not.
double divergence(double p, double q) {
  const double middle = (p + q) / 2;
  const auto term = [middle](double weight) {
    return weight == 0 ? 0 : weight * std::log2(weight / middle) / 2;
  };
  return term(p) + term(q);
}

// f(a, b) for every pair of heads a < b of x [B, H, T, *], with f symmetric; `diagonal` is f(a, a).
template <class F>
Tensor for_each_pair(const Tensor& x, const F& f) {
  const std::int64_t num_heads = x.shape()[1];
  const auto at = [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::size_t>(a * num_heads + b);
  };
  std::vector<double> pairs(static_cast<std::size_t>(num_heads * num_heads));
  for (std::int64_t a = 0; a < num_heads; ++a) {
    for (std::int64_t b = a; b < num_heads; ++b) {
      pairs[at(a, b)] = pairs[at(b, a)] = f(select(x, 1, a), select(x, 1, b));
    }
  }
  return from_vector(pairs, {num_heads, num_heads}, x.dtype());
}

}  // namespace

Tensor head_divergence(const Tensor& weights) {
  check_head_similarity("head_divergence", "weights", "weights [B, H, T, S]", weights);
  return for_each_pair(weights, [](const Tensor& a, const Tensor& b) {
    const std::vector<double> p = a.to_vector();
    const std::vector<double> q = b.to_vector();
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) total += divergence(p[i], q[i]);
    return total / static_cast<double>(a.shape()[0] * a.shape()[1]);
  });
}

Tensor head_cosine(const Tensor& contributions) {
  check_head_similarity("head_cosine", "contributions", "contributions [B, H, T, D]",
                        contributions);
  return for_each_pair(contributions, [](const Tensor& a, const Tensor& b) {
    return mean(cosine(to(a, DType::kFloat64), to(b, DType::kFloat64))).item();
  });
}

double mean_pairwise(const Tensor& x) {
  check_defined("mean_pairwise", x);
  check_float("mean_pairwise", x.dtype(), {{"x", x.shape()}});
  if (x.ndim() != 2 || x.shape()[0] != x.shape()[1] || x.shape()[0] < 2) {
    throw_shape_error("mean_pairwise", "x [H, H], H >= 2", x.shape().str(), {{"x", x.shape()}});
  }
  const std::int64_t num_heads = x.shape()[0];
  double total = 0;
  for (std::int64_t a = 0; a < num_heads; ++a) {
    for (std::int64_t b = 0; b < num_heads; ++b) {
      if (a != b) total += x.at({a, b});
    }
  }
  return total / static_cast<double>(num_heads * (num_heads - 1));
}

}  // namespace gradwalk::nn
