#pragma once

#include "tensor/error.h"
#include "tensor/tensor.h"

namespace gradwalk {

/// @throws std::invalid_argument that names `op` if x is undefined
inline void check_defined(const char* op, const Tensor& x) {
  if (!x.defined()) throw_argument_error(op, "a tensor", "an undefined one");
}

/// Calls f with a value of the element type of `dtype`: `visit_dtype(x.dtype(), [&](auto zero) {
/// using T = decltype(zero); })`.
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

/// The same where the operands are at hand already; a check on a fast path uses the one below.
inline void check_same_dtype(const char* op, const Operand& a, DType dtype_a, const Operand& b,
                             DType dtype_b) {
  if (dtype_a == dtype_b) return;
  throw_argument_error(
      op, std::string("one dtype for ") + std::string(a.name) + " and " + std::string(b.name),
      std::string(name(dtype_a)) + " and " + name(dtype_b), {a, b});
}

/// @throws std::invalid_argument that names `op` and both dtypes unless they are one
inline void check_same_dtype(const char* op, const char* name_a, const Tensor& a,
                             const char* name_b, const Tensor& b) {
  if (a.dtype() == b.dtype()) return;
  check_same_dtype(op, {name_a, a.shape()}, a.dtype(), {name_b, b.shape()}, b.dtype());
}

}  // namespace gradwalk
