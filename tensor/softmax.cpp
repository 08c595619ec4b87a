#include "tensor/softmax.h"

#include "tensor/dispatch.h"
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

int check_axis(const char* op, const Tensor& x, int axis) {
  check_defined(op, x);
  if (x.ndim() == 0) throw_shape_error(op, "ndim >= 1", "0", {{"x", x.shape()}});
  const int normal = normalize_axis(op, axis, x.shape());
  if (x.shape()[normal] == 0) {
    throw_shape_error(op, "at least one element along the axis", "0", {{"x", x.shape()}});
  }
  return normal;
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  const LastAxis last(check_axis("softmax", x, axis), x.ndim());
  return visit_float("softmax", x, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = last.there(x);
    const std::int64_t width = rows.shape()[-1];
    Tensor y("softmax", rows.shape(), x.dtype());
    kernels::softmax(rows.numel() / width, width, rows.data<T>(), y.mutable_data<T>());
    return last.back(y);
  });
}

Tensor softmax_backward(const Tensor& y, const Tensor& dy, int axis) {
  const LastAxis last(check_axis("softmax_backward", y, axis), y.ndim());
  check_defined("softmax_backward", dy);
  check_same_dtype("softmax_backward", {"y", y.shape()}, y.dtype(), {"dy", dy.shape()}, dy.dtype());
  if (y.shape() != dy.shape()) {
    throw_shape_error("softmax_backward", "dy.shape == y.shape",
                      dy.shape().str() + " and " + y.shape().str(),
                      {{"y", y.shape()}, {"dy", dy.shape()}});
  }
  return visit_float("softmax_backward", y, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = last.there(y);
    const Tensor upstream = last.there(dy);
    const std::int64_t width = rows.shape()[-1];
    Tensor dx("softmax_backward", rows.shape(), y.dtype());
    kernels::softmax_backward(rows.numel() / width, width, rows.data<T>(), upstream.data<T>(),
                              dx.mutable_data<T>());
    return last.back(dx);
  });
}

}  // namespace gradwalk
