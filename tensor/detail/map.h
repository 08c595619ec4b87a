#pragma once

#include <type_traits>

#include "tensor/detail/checks.h"
#include "tensor/kernels/map.h"
#include "tensor/layout.h"

/// What the elementwise value functions share: the checks, the broadcast and the result. Each calls
/// its kernel once, as kernel(shape, views of the operands..., pointer to the result).
namespace gradwalk {

// The dtypes that an op takes: their words in an error, and f called with a value of the type.
struct Floats {
  static constexpr const char* kNames = "float32 or float64";
  static bool has(DType dtype) { return is_float(dtype); }
  template <class F>
  static void visit(DType dtype, F f) {
    dtype == DType::kFloat32 ? f(float{}) : f(double{});
  }
};
struct Numbers {
  static constexpr const char* kNames = "float32, float64 or int64";
  static bool has(DType dtype) { return dtype != DType::kBool; }
  template <class F>
  static void visit(DType dtype, F f) {
    dtype == DType::kInt64 ? f(std::int64_t{}) : Floats::visit(dtype, f);
  }
};
struct Bools {
  static constexpr const char* kNames = "bool";
  static bool has(DType dtype) { return dtype == DType::kBool; }
  template <class F>
  static void visit(DType, F f) {
    f(bool{});
  }
};
struct AnyType {
  static constexpr const char* kNames = "any dtype";
  static bool has(DType) { return true; }
  template <class F>
  static void visit(DType dtype, F f) {
    dtype == DType::kBool ? f(bool{}) : Numbers::visit(dtype, f);
  }
};

template <class T>
kernels::View<T> view(const Tensor& x) {
  return {x.data<T>(), &x.strides(), x.is_contiguous() ? x.numel() : -1};
}

/// A number beside a tensor, 0-d, in the tensor's dtype. int64 keeps to whole numbers, so that
/// x * 0.5 is an error and not 0.
Tensor number_like(const char* op, const Tensor& x, double value);

/// The result's dtype: that of Y, or of the operands if Y is void.
template <class Y>
DType result_dtype(DType operands) {
  if constexpr (std::is_void_v<Y>) {
    return operands;
  } else {
    return kDTypeOf<Y>;
  }
}

/// An op on one tensor of a dtype in Types; Y is the result's element type, void for that of x.
template <class Types, class Y = void, class Kernel>
Tensor map_unary(const char* op, const Tensor& x, Kernel kernel) {
  check_defined(op, x);
  if (!Types::has(x.dtype())) {
    throw_argument_error(op, Types::kNames, name(x.dtype()), {{"x", x.shape()}});
  }
  Tensor y(op, x.shape(), result_dtype<Y>(x.dtype()));
  Types::visit(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernel(x.shape(), view<T>(x), y.mutable_data<std::conditional_t<std::is_void_v<Y>, T, Y>>());
  });
  return y;
}

/// An op on two tensors of one dtype in Types, which broadcast; Y as in map_unary.
template <class Types, class Y = void, class Kernel>
Tensor map_binary(const char* op, const Tensor& a, const Tensor& b, Kernel kernel) {
  check_defined(op, a);
  check_defined(op, b);
  check_same_dtype(op, "a", a, "b", b);
  if (!Types::has(a.dtype())) {
    throw_argument_error(op, Types::kNames, name(a.dtype()), {{"a", a.shape()}, {"b", b.shape()}});
  }
  if (a.shape() != b.shape()) {
    const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
    return map_binary<Types, Y>(op, expand(a, shape), expand(b, shape), kernel);
  }
  Tensor y(op, a.shape(), result_dtype<Y>(a.dtype()));
  Types::visit(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernel(a.shape(), view<T>(a), view<T>(b),
           y.mutable_data<std::conditional_t<std::is_void_v<Y>, T, Y>>());
  });
  return y;
}

/// The backward of an op on one tensor: dx from dy and what the op saved, its input or its output,
/// which errors call `saved_name`. All of one shape and dtype.
template <class Types, class Kernel>
Tensor map_backward(const char* op, const char* saved_name, const Tensor& saved, const Tensor& dy,
                    Kernel kernel) {
  check_defined(op, saved);
  check_defined(op, dy);
  check_same_dtype(op, saved_name, saved, "dy", dy);
  if (!Types::has(dy.dtype())) {
    throw_argument_error(op, Types::kNames, name(dy.dtype()),
                         {{saved_name, saved.shape()}, {"dy", dy.shape()}});
  }
  check_shape_of(op, saved_name, saved, "dy", dy);
  Tensor dx(op, dy.shape(), dy.dtype());
  Types::visit(dy.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernel(dy.shape(), view<T>(saved), view<T>(dy), dx.mutable_data<T>());
  });
  return dx;
}

}  // namespace gradwalk
