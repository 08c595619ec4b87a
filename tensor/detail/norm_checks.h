#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"

/// What layer_norm and rms_norm check alike.
namespace gradwalk {

inline void check_rows(const char* op, const Tensor& x) {
  check_defined(op, x);
  check_float(op, x.dtype(), {{"x", x.shape()}});
  if (x.ndim() == 0) throw_shape_error(op, "x with ndim >= 1", "0", {{"x", x.shape()}});
}

/// A learned number for each feature of x: [D] and x's dtype, if it is there at all.
inline void check_features(const char* op, const Tensor& x, std::string_view which,
                           const Tensor& features) {
  if (!features.defined()) return;
  const Operand a{"x", x.shape()};
  const Operand b{which, features.shape()};
  check_same_dtype(op, a, x.dtype(), b, features.dtype());
  const Shape want{x.shape()[-1]};
  if (features.shape() != want) {
    throw_shape_error(op, fmt::format("{}.shape == {}", which, want.str()), features.shape().str(),
                      {a, b});
  }
}

inline void check_eps(const char* op, const Tensor& x, double eps) {
  if (!(eps >= 0) || std::isinf(eps)) {
    throw_argument_error(op, "a finite eps >= 0", fmt::format("{}", eps), {{"x", x.shape()}});
  }
}

/// The gradient of the result: x's shape and dtype.
inline void check_upstream(const char* op, const Tensor& x, const Tensor& dy) {
  check_defined(op, dy);
  const Operand a{"x", x.shape()};
  const Operand b{"dy", dy.shape()};
  check_same_dtype(op, a, x.dtype(), b, dy.dtype());
  if (x.shape() != dy.shape()) {
    throw_shape_error(op, "dy.shape == x.shape", dy.shape().str() + " and " + x.shape().str(),
                      {a, b});
  }
}

/// The shape of one number a row.
inline Shape row_shape(const Tensor& x) {
  return Shape(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 1));
}

/// A number for each row, as the forward returned it.
inline void check_statistic(const char* op, const Tensor& x, std::string_view which,
                            const Tensor& statistic) {
  check_defined(op, statistic);
  if (statistic.dtype() == DType::kFloat64 && statistic.shape() == row_shape(x)) return;
  throw_shape_error(op, fmt::format("{} {} float64", which, row_shape(x).str()),
                    fmt::format("{} {}", statistic.shape().str(), name(statistic.dtype())),
                    {{"x", x.shape()}, {which, statistic.shape()}});
}

/// The elements, or null where there is no tensor.
template <class T>
const T* data_or_null(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

inline Tensor contiguous_or_none(const Tensor& x) { return x.defined() ? contiguous(x) : x; }

}  // namespace gradwalk
