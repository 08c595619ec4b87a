#include "tensor/softmax.h"

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/softmax.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

// Puts `axis` last, where the kernel wants it, and knows the way back.
class LastAxis {
 public:
  LastAxis(int axis, int ndim) : axis_(axis), last_(ndim - 1) {}

  Tensor there(const Tensor& x) const {
    return axis_ == last_ ? contiguous(x) : contiguous(swapped(x));
  }
  Tensor back(const Tensor& y) const { return axis_ == last_ ? y : swapped(y); }

 private:
  Tensor swapped(const Tensor& x) const {
    std::array<int, kMaxNdim> order{};
    for (int i = 0; i <= last_; ++i) order[static_cast<std::size_t>(i)] = i;
    std::swap(order[static_cast<std::size_t>(axis_)], order[static_cast<std::size_t>(last_)]);
    return permute(x, std::span<const int>(order.data(), static_cast<std::size_t>(last_ + 1)));
  }

  int axis_;
  int last_;
};

int check_axis(const char* op, const char* which, const Tensor& x, int axis) {
  check_ndim(op, which, x, 1);
  return normalize_axis(op, axis, x.shape());
}

// kernel(rows, width, x, y) on the slices of x along `axis`.
template <class Kernel>
Tensor forward(const char* op, const Tensor& x, int axis, Kernel kernel) {
  check_defined(op, x);
  const LastAxis last(check_axis(op, "x", x, axis), x.ndim());
  return visit_float(op, x, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = last.there(x);
    Tensor y(op, rows.shape(), x.dtype());
    if (const std::int64_t width = rows.shape()[-1]; width > 0) {
      kernel(rows.numel() / width, width, rows.data<T>(), y.mutable_data<T>());
    }
    return last.back(y);
  });
}

// kernel(rows, width, y, dy, dx) on the slices of y along `axis`.
template <class Kernel>
Tensor backward(const char* op, const Tensor& y, const Tensor& dy, int axis, Kernel kernel) {
  check_defined(op, y);
  check_defined(op, dy);
  const LastAxis last(check_axis(op, "y", y, axis), y.ndim());
  check_same_dtype(op, "y", y, "dy", dy);
  check_shape_of(op, "y", y, "dy", dy);
  return visit_float(op, y, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = last.there(y);
    const Tensor upstream = last.there(dy);
    Tensor dx(op, rows.shape(), y.dtype());
    if (const std::int64_t width = rows.shape()[-1]; width > 0) {
      kernel(rows.numel() / width, width, rows.data<T>(), upstream.data<T>(), dx.mutable_data<T>());
    }
    return last.back(dx);
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return forward("softmax", x, axis, [](auto... args) { kernels::softmax(args...); });
}

Tensor softmax_backward(const Tensor& y, const Tensor& dy, int axis) {
  return backward("softmax_backward", y, dy, axis,
                  [](auto... args) { kernels::softmax_backward(args...); });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return forward("log_softmax", x, axis, [](auto... args) { kernels::log_softmax(args...); });
}

Tensor log_softmax_backward(const Tensor& y, const Tensor& dy, int axis) {
  return backward("log_softmax_backward", y, dy, axis,
                  [](auto... args) { kernels::log_softmax_backward(args...); });
}

}  // namespace gradwalk
