#include "tensor/reference/cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

// log sum_j exp(x_j), shifted by the largest logit.
double log_sum_exp(const double* x, std::size_t classes) {
  const double largest = *std::max_element(x, x + classes);
  double total = 0;
  for (std::size_t j = 0; j < classes; ++j) total += std::exp(x[j] - largest);
  return std::log(total) + largest;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  double total = 0;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const double* own = x.data() + row * classes;
    total += log_sum_exp(own, classes) - own[static_cast<std::size_t>(ids[row])];
  }
  return scalar(ids.empty() ? 0 : total / static_cast<double>(ids.size()), logits.dtype());
}

Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  std::vector<double> dx(x.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const double* own = x.data() + row * classes;
    for (std::size_t j = 0; j < classes; ++j) {
      const double p = std::exp(own[j] - log_sum_exp(own, classes));
      const double hit = static_cast<double>(j) == ids[row] ? 1 : 0;
      dx[row * classes + j] = dy.item() * (p - hit) / static_cast<double>(ids.size());
    }
  }
  return from_vector(dx, logits.shape(), logits.dtype());
}

}  // namespace gradwalk::reference
