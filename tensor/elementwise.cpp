#include "tensor/elementwise.h"

#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

using kernels::View;

template <class T>
View<T> view(const Tensor& x) {
  return {x.data<T>(), &x.strides()};
}

// What the four binary ops share: dtypes, broadcasting, the result. `kernel` is called with the
// element type.
template <class Visit, class Kernel>
Tensor binary(const char* op, const Tensor& a, const Tensor& b, Visit visit, Kernel kernel) {
  check_defined(op, a);
  check_defined(op, b);
  check_same_dtype(op, {"a", a.shape()}, a.dtype(), {"b", b.shape()}, b.dtype());
  const bool same = a.shape() == b.shape();
  const Shape shape = same ? a.shape() : broadcast_shapes(op, a.shape(), b.shape());
  return visit(op, a, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, shape, a.dtype());
    if (same) {
      kernel(shape, view<T>(a), view<T>(b), y.mutable_data<T>());
    } else {
      const Tensor wide_a = expand(a, shape);
      const Tensor wide_b = expand(b, shape);
      kernel(shape, view<T>(wide_a), view<T>(wide_b), y.mutable_data<T>());
    }
    return y;
  });
}

template <class Visit, class Kernel>
Tensor unary(const char* op, const Tensor& x, Visit visit, Kernel kernel) {
  return visit(op, x, [&](auto zero) {
    using T = decltype(zero);
    Tensor y(op, x.shape(), x.dtype());
    kernel(x.shape(), view<T>(x), y.mutable_data<T>());
    return y;
  });
}

constexpr auto kNumbers = [](const char* op, const Tensor& x, auto f) {
  return visit_number(op, x, f);
};
constexpr auto kFloats = [](const char* op, const Tensor& x, auto f) {
  return visit_float(op, x, f);
};

// A number beside a tensor: int64 keeps to whole numbers, so that x * 0.5 is an error and not 0.
Tensor number_like(const char* op, const Tensor& x, double value) {
  check_defined(op, x);
  if (x.dtype() == DType::kInt64 &&
      value != static_cast<double>(static_cast<std::int64_t>(value))) {
    throw_argument_error(op, "a whole number beside an int64 tensor", std::to_string(value),
                         {{"x", x.shape()}});
  }
  return scalar(value, x.dtype());
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  return binary("add", a, b, kNumbers, [](auto... args) { kernels::add(args...); });
}
Tensor sub(const Tensor& a, const Tensor& b) {
  return binary("sub", a, b, kNumbers, [](auto... args) { kernels::sub(args...); });
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return binary("mul", a, b, kNumbers, [](auto... args) { kernels::mul(args...); });
}
Tensor div(const Tensor& a, const Tensor& b) {
  return binary("div", a, b, kFloats, [](auto... args) { kernels::div(args...); });
}

Tensor neg(const Tensor& x) {
  return unary("neg", x, kNumbers, [](auto... args) { kernels::neg(args...); });
}
Tensor exp(const Tensor& x) {
  return unary("exp", x, kFloats, [](auto... args) { kernels::exp(args...); });
}
Tensor log(const Tensor& x) {
  return unary("log", x, kFloats, [](auto... args) { kernels::log(args...); });
}
Tensor sqrt(const Tensor& x) {
  return unary("sqrt", x, kFloats, [](auto... args) { kernels::sqrt(args...); });
}

Tensor operator+(const Tensor& a, double b) { return add(a, number_like("add", a, b)); }
Tensor operator-(const Tensor& a, double b) { return sub(a, number_like("sub", a, b)); }
Tensor operator*(const Tensor& a, double b) { return mul(a, number_like("mul", a, b)); }
Tensor operator/(const Tensor& a, double b) { return div(a, number_like("div", a, b)); }
Tensor operator+(double a, const Tensor& b) { return add(number_like("add", b, a), b); }
Tensor operator-(double a, const Tensor& b) { return sub(number_like("sub", b, a), b); }
Tensor operator*(double a, const Tensor& b) { return mul(number_like("mul", b, a), b); }
Tensor operator/(double a, const Tensor& b) { return div(number_like("div", b, a), b); }

}  // namespace gradwalk
