#pragma once

#include <algorithm>
#include <vector>

#include "tensor/reference/values.h"

namespace gradwalk::reference {

/// The slices of x along `axes`, each in [0, ndim): for every index of the other axes, the places
/// (row-major, in x) of the elements that share it.
inline std::vector<std::vector<std::size_t>> slices(const Shape& shape,
                                                    const std::vector<int>& axes) {
  const auto reduced = [&](int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  std::size_t count = 1;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (!reduced(axis)) count *= static_cast<std::size_t>(shape[axis]);
  }
  std::vector<std::vector<std::size_t>> result(count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.numel()); ++i) {
    // The index of element i without its reduced axes, read from the last axis to the first.
    std::size_t rest = i;
    std::size_t slice = 0;
    std::size_t step = 1;
    for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
      const auto size = static_cast<std::size_t>(shape[axis]);
      if (!reduced(axis)) {
        slice += rest % size * step;
        step *= size;
      }
      rest /= size;
    }
    result[slice].push_back(i);
  }
  return result;
}

/// One number per slice, y = f(slice); the reduced axes are kept with size 1.
template <class F>
Tensor fold_slices(const Tensor& x, const std::vector<int>& axes, F f) {
  const std::vector<double> elements = values(x);
  Shape shape = x.shape();
  for (const int axis : axes) shape.set(axis, 1);
  std::vector<double> y;
  for (const auto& places : slices(x.shape(), axes)) {
    std::vector<double> slice;
    for (const std::size_t place : places) slice.push_back(elements[place]);
    y.push_back(f(slice));
  }
  return from_vector(y, shape, x.dtype());
}

/// x with each slice changed by f(slice, upstream), where dy has one number per slice.
template <class F>
Tensor map_slices(const Tensor& x, const Tensor& dy, const std::vector<int>& axes, F f) {
  std::vector<double> elements = values(x);
  const std::vector<double> upstream = values(dy);
  const auto all = slices(x.shape(), axes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double> slice;
    for (const std::size_t place : all[i]) slice.push_back(elements[place]);
    f(slice, upstream[i]);
    for (std::size_t k = 0; k < slice.size(); ++k) elements[all[i][k]] = slice[k];
  }
  return from_vector(elements, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
