#pragma once

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

/// Calls f(place in x, place in y) for y [outer, count, inner], where id(place in y, j) says which
/// of x [outer, size, inner] it is.
template <class Id, class F>
void pair_up(const Split& x, std::size_t count, Id id, F f) {
  for (std::size_t i = 0; i < x.outer; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t k = 0; k < x.inner; ++k) {
        const std::size_t y_at = (i * count + j) * x.inner + k;
        f((i * x.along + id(y_at, j)) * x.inner + k, y_at);
      }
    }
  }
}

inline std::vector<std::size_t> whole_numbers(const Tensor& ids) {
  std::vector<std::size_t> result;
  for (const double id : values(ids)) result.push_back(static_cast<std::size_t>(id));
  return result;
}

inline Shape selected_shape(const Shape& x, int axis, const Shape& ids) {
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.push_back(x[i]);
  for (const std::int64_t size : ids) shape.push_back(size);
  for (int i = axis + 1; i < x.ndim(); ++i) shape.push_back(x[i]);
  return shape;
}

}  // namespace detail

/// y[i, j, k] = x[i, indices[i, j, k], k], `axis` in the middle; in [0, ndim) in all of these.
inline Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis) {
  const std::vector<std::size_t> ids = detail::whole_numbers(indices);
  const std::vector<double> from = values(x);
  std::vector<double> y(ids.size());
  detail::pair_up(
      split_at(x.shape(), axis), static_cast<std::size_t>(indices.shape()[axis]),
      [&](std::size_t y_at, std::size_t) { return ids[y_at]; },
      [&](std::size_t x_at, std::size_t y_at) { y[y_at] = from[x_at]; });
  return from_vector(y, indices.shape(), x.dtype());
}

/// dx[i, indices[i, j, k], k] += dy[i, j, k]
inline Tensor take_along_axis_backward(const Shape& shape, const Tensor& indices, int axis,
                                       const Tensor& dy) {
  const std::vector<std::size_t> ids = detail::whole_numbers(indices);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(static_cast<std::size_t>(shape.numel()), 0.0);
  detail::pair_up(
      split_at(shape, axis), static_cast<std::size_t>(indices.shape()[axis]),
      [&](std::size_t y_at, std::size_t) { return ids[y_at]; },
      [&](std::size_t x_at, std::size_t y_at) { dx[x_at] += upstream[y_at]; });
  return from_vector(dx, shape, dy.dtype());
}

/// y[i, j, k] = x[i, ids[j], k]
inline Tensor index_select(const Tensor& x, int axis, const Tensor& ids) {
  const std::vector<std::size_t> list = detail::whole_numbers(ids);
  const std::vector<double> from = values(x);
  const Shape shape = detail::selected_shape(x.shape(), axis, ids.shape());
  std::vector<double> y(static_cast<std::size_t>(shape.numel()));
  detail::pair_up(
      split_at(x.shape(), axis), list.size(), [&](std::size_t, std::size_t j) { return list[j]; },
      [&](std::size_t x_at, std::size_t y_at) { y[y_at] = from[x_at]; });
  return from_vector(y, shape, x.dtype());
}

/// dx[i, ids[j], k] += dy[i, j, k]
inline Tensor index_select_backward(const Shape& shape, int axis, const Tensor& ids,
                                    const Tensor& dy) {
  const std::vector<std::size_t> list = detail::whole_numbers(ids);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(static_cast<std::size_t>(shape.numel()), 0.0);
  detail::pair_up(
      split_at(shape, axis), list.size(), [&](std::size_t, std::size_t j) { return list[j]; },
      [&](std::size_t x_at, std::size_t y_at) { dx[x_at] += upstream[y_at]; });
  return from_vector(dx, shape, dy.dtype());
}

/// y[..., c] = (c == ids[...])
inline Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype) {
  std::vector<double> y;
  for (const double id : values(ids)) {
    for (std::int64_t c = 0; c < classes; ++c) y.push_back(id == static_cast<double>(c) ? 1 : 0);
  }
  Shape shape = ids.shape();
  shape.push_back(classes);
  return from_vector(y, shape, dtype);
}

}  // namespace gradwalk::reference
