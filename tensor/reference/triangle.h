#pragma once

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

template <class Keeps>
Tensor keep_where(const Tensor& x, Keeps keeps) {
  std::vector<double> y = values(x);
  const std::int64_t rows = x.shape()[-2];
  const std::int64_t columns = x.shape()[-1];
  for (std::size_t at = 0; at < y.size(); ++at) {
    const auto place = static_cast<std::int64_t>(at);
    if (!keeps(place / columns % rows, place % columns)) y[at] = 0;
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace detail

/// x_ij where j <= i + diagonal (tril) or j >= i + diagonal (triu), else 0.
inline Tensor tril(const Tensor& x, std::int64_t diagonal) {
  return detail::keep_where(x, [=](std::int64_t i, std::int64_t j) { return j <= i + diagonal; });
}

inline Tensor triu(const Tensor& x, std::int64_t diagonal) {
  return detail::keep_where(x, [=](std::int64_t i, std::int64_t j) { return j >= i + diagonal; });
}

}  // namespace gradwalk::reference
