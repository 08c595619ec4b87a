#pragma once

#include "tensor/detail/checks.h"
#include "tensor/tensor.h"

namespace gradwalk {

/// Calls f with a value of the element type of `dtype`:
///
///   visit_dtype(x.dtype(), [&](auto zero) { using T = decltype(zero); ... });
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      return f(double{});
    case DType::kInt64:
      return f(std::int64_t{});
    default:
      return f(bool{});
  }
}

/// The same for float32 and float64 only.
/// @throws std::invalid_argument that names `op` otherwise
template <class F>
decltype(auto) visit_float(const char* op, const Tensor& x, F&& f) {
  check_defined(op, x);
  if (x.dtype() == DType::kFloat32) return f(float{});
  if (x.dtype() == DType::kFloat64) return f(double{});
  throw_argument_error(op, "float32 or float64", name(x.dtype()), {{"x", x.shape()}});
}

/// The same for float32, float64 and int64.
template <class F>
decltype(auto) visit_number(const char* op, const Tensor& x, F&& f) {
  check_defined(op, x);
  if (x.dtype() == DType::kInt64) return f(std::int64_t{});
  if (is_float(x.dtype())) return visit_float(op, x, f);
  throw_argument_error(op, "float32, float64 or int64", name(x.dtype()), {{"x", x.shape()}});
}

}  // namespace gradwalk
