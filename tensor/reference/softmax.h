#pragma once

#include <cmath>
#include <limits>

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

/// Rewrites each slice along `axis` as f(x_i - m, sum_j exp(x_j - m)), m the slice's maximum; a
/// slice that is all -inf becomes `masked`.
template <class F>
Tensor normalize_slices(const Tensor& x, int axis, double masked, F f) {
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  const Split split = split_at(x.shape(), axis);
  std::vector<double> y = values(x);
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const auto at = [&](std::size_t i) -> double& {
        return y[(outer * split.along + i) * split.inner + inner];
      };
      double largest = kMasked;
      bool all_masked = true;
      for (std::size_t i = 0; i < split.along; ++i) {
        if (at(i) > largest) largest = at(i);
        if (at(i) != kMasked) all_masked = false;
      }
      double total = 0;
      for (std::size_t i = 0; i < split.along; ++i) total += std::exp(at(i) - largest);
      for (std::size_t i = 0; i < split.along; ++i) {
        at(i) = all_masked ? masked : f(at(i) - largest, total);
      }
    }
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace detail

/// y_i = exp(x_i - m) / sum_j exp(x_j - m) along `axis` in [0, ndim); all -inf gives zeros.
inline Tensor softmax(const Tensor& x, int axis) {
  return detail::normalize_slices(x, axis, /*masked=*/0, [](double shifted, double total) {
    return std::exp(shifted) / total;
  });
}

/// dx_i = sum_j dy_j dy_j/dx_i with the Jacobian written out: dy_j/dx_i = y_j ((i == j) - y_i).
inline Tensor softmax_backward(const Tensor& y, const Tensor& dy, int axis) {
  const Split split = split_at(y.shape(), axis);
  const std::vector<double> weights = values(y);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(weights.size());
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const auto at = [&](std::size_t i) {
        return (outer * split.along + i) * split.inner + inner;
      };
      for (std::size_t i = 0; i < split.along; ++i) {
        double total = 0;
        for (std::size_t j = 0; j < split.along; ++j) {
          total += upstream[at(j)] * weights[at(j)] * ((i == j ? 1.0 : 0.0) - weights[at(i)]);
        }
        dx[at(i)] = total;
      }
    }
  }
  return from_vector(dx, y.shape(), y.dtype());
}

/// y_i = (x_i - m) - log sum_j exp(x_j - m) along `axis` in [0, ndim); all -inf gives -inf.
inline Tensor log_softmax(const Tensor& x, int axis) {
  return detail::normalize_slices(
      x, axis, /*masked=*/-std::numeric_limits<double>::infinity(),
      [](double shifted, double total) { return shifted - std::log(total); });
}

/// dx_i = dy_i - exp(y_i) sum_j dy_j; 0 where the whole slice of y is -inf.
inline Tensor log_softmax_backward(const Tensor& y, const Tensor& dy, int axis) {
  const Split split = split_at(y.shape(), axis);
  const std::vector<double> logs = values(y);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(logs.size());
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const auto at = [&](std::size_t i) {
        return (outer * split.along + i) * split.inner + inner;
      };
      bool all_masked = true;
      double total = 0;
      for (std::size_t i = 0; i < split.along; ++i) {
        if (logs[at(i)] != -std::numeric_limits<double>::infinity()) all_masked = false;
        total += upstream[at(i)];
      }
      for (std::size_t i = 0; i < split.along; ++i) {
        dx[at(i)] = all_masked ? 0 : upstream[at(i)] - std::exp(logs[at(i)]) * total;
      }
    }
  }
  return from_vector(dx, y.shape(), y.dtype());
}

}  // namespace gradwalk::reference
