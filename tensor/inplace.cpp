#include "tensor/inplace.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/map.h"
#include "tensor/kernels/strided.h"
#include "tensor/kernels/wrapping.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

void check_writable(const char* op, const Tensor& x) {
  check_defined(op, x);
  if (x.numel() == 0) return;  // nothing is written, whatever the strides
  if (const int axis = expanded_axis(x); axis >= 0) {
    throw_shape_error(op, "a tensor whose elements have a place each",
                      fmt::format("an expanded view, stride 0 at axis {}; clone it first", axis),
                      {{"x", x.shape()}});
  }
}

bool same_elements(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.offset() != b.offset()) return false;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (a.shape()[axis] != 1 && a.strides()[i] != b.strides()[i]) return false;
  }
  return true;
}

// x_i = f(x_i, from_i) for every element.
template <class F>
void update(const char* op, Tensor x, const Tensor& from, F f) {
  check_writable(op, x);
  check_defined(op, from);
  check_same_dtype(op, "x", x, "from", from);
  if (!can_expand(from.shape(), x.shape())) {
    throw_shape_error(op, "from to broadcast to x.shape", from.shape().str(),
                      {{"x", x.shape()}, {"from", from.shape()}});
  }
  Tensor other;  // in place of `from`, where it has to be stretched or copied
  const bool stretched = from.shape() != x.shape();
  if (stretched) other = expand(from, x.shape());
  const Tensor& wide = stretched ? other : from;
  if (wide.storage().get() == x.storage().get() && !same_elements(x, wide)) other = clone(wide);
  const Tensor& source = other.defined() ? other : from;
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = x.mutable_data<T>();
    const T* in = source.data<T>();
    kernels::for_each_row<2>(
        x.shape(), {&x.strides(), &source.strides()},
        [&](const kernels::Offsets<2>& at, std::int64_t n, const kernels::Offsets<2>& step) {
          T* row = out + at[0];
          const T* from_row = in + at[1];
          if (step[0] == 1 && step[1] == 1) {
            for (std::int64_t i = 0; i < n; ++i) row[i] = static_cast<T>(f(row[i], from_row[i]));
          } else {
            for (std::int64_t i = 0; i < n; ++i) {
              T& element = row[i * step[0]];
              element = static_cast<T>(f(element, from_row[i * step[1]]));
            }
          }
        });
  });
}

constexpr auto kPlus = [](auto a, auto b) { return a + b; };
constexpr auto kTimes = [](auto a, auto b) { return a * b; };

void check_number(const char* op, const Tensor& x) {
  visit_number(op, x, [](auto) {});
}

}  // namespace

void fill(Tensor x, double value) {
  update("fill", x, number_like("fill", x, value), [](const auto&, auto from) { return from; });
}

void copy_into(Tensor x, const Tensor& from) {
  update("copy_into", x, from, [](const auto&, auto value) { return value; });
}

void add_into(Tensor x, const Tensor& from, double alpha) {
  check_number("add_into", x);
  if (x.dtype() == DType::kInt64) number_like("add_into", x, alpha);  // checks it
  update("add_into", x, from, [alpha](auto element, auto value) {
    const auto share = kernels::wrapping(static_cast<decltype(value)>(alpha), value, kTimes);
    return kernels::wrapping(element, share, kPlus);
  });
}

void add_into(Tensor x, double value) {
  check_number("add_into", x);
  add_into(x, number_like("add_into", x, value));
}

void mul_into(Tensor x, const Tensor& from) {
  check_number("mul_into", x);
  update("mul_into", x, from,
         [](auto element, auto value) { return kernels::wrapping(element, value, kTimes); });
}

void mul_into(Tensor x, double factor) {
  check_number("mul_into", x);
  mul_into(x, number_like("mul_into", x, factor));
}

}  // namespace gradwalk
