#pragma once

#include "tensor/layout.h"
#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {

/// a [..., M, K] or [K], b [..., K, N] or [K]; three nested loops, summed in float64.
inline Tensor matmul(const Tensor& a, const Tensor& b) {
  // A vector stands for one row on the left and one column on the right, and that axis is dropped
  // again at the end.
  const Tensor rows = a.ndim() == 1 ? unsqueeze(a, 0) : a;
  const Tensor columns = b.ndim() == 1 ? unsqueeze(b, 1) : b;
  const auto batch_of = [](const Tensor& x) {
    return Shape(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 2));
  };
  const Shape batch = broadcast_shapes("matmul", batch_of(rows), batch_of(columns));
  const auto with_batch = [&batch](std::int64_t i, std::int64_t j) {
    Shape shape = batch;
    shape.push_back(i);
    shape.push_back(j);
    return shape;
  };
  const std::int64_t m = rows.shape()[-2];
  const std::int64_t k = rows.shape()[-1];
  const std::int64_t n = columns.shape()[-1];
  const std::vector<double> p = values(expand(rows, with_batch(m, k)));
  const std::vector<double> q = values(expand(columns, with_batch(k, n)));

  std::vector<double> y(static_cast<std::size_t>(batch.numel() * m * n));
  for (std::int64_t one = 0; one < batch.numel(); ++one) {
    const double* left = p.data() + one * m * k;
    const double* right = q.data() + one * k * n;
    double* out = y.data() + one * m * n;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double total = 0;
        for (std::int64_t l = 0; l < k; ++l) total += left[i * k + l] * right[l * n + j];
        out[i * n + j] = total;
      }
    }
  }
  Shape shape = batch;
  if (a.ndim() > 1) shape.push_back(m);
  if (b.ndim() > 1) shape.push_back(n);
  return from_vector(y, shape, a.dtype());
}

/// a [M], b [N]: y[i, j] = a[i] b[j].
inline Tensor outer(const Tensor& a, const Tensor& b) {
  std::vector<double> y;
  for (const double p : values(a)) {
    for (const double q : values(b)) y.push_back(p * q);
  }
  return from_vector(y, {a.numel(), b.numel()}, a.dtype());
}

}  // namespace gradwalk::reference
