#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/reference/values.h"
#include "tensor/tensor.h"

namespace gradwalk::reference {
namespace detail {

/// Folds the elements of x, in row-major order, into the place of the result that each falls on.
template <class F>
Tensor fold_axes(const Tensor& x, const std::vector<int>& axes, bool keepdims, double start,
                 F fold) {
  const auto reduced = [&](int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  Shape shape;
  std::size_t places = 1;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (!reduced(axis)) places *= static_cast<std::size_t>(x.shape()[axis]);
    if (!reduced(axis)) shape.push_back(x.shape()[axis]);
    if (reduced(axis) && keepdims) shape.push_back(1);
  }
  std::vector<double> y(places, start);
  const std::vector<double> elements = values(x);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    // The place: the index of element i without its reduced axes, read from the last axis to the
    // first.
    std::size_t rest = i;
    std::size_t place = 0;
    std::size_t step = 1;
    for (int axis = x.ndim() - 1; axis >= 0; --axis) {
      const auto size = static_cast<std::size_t>(x.shape()[axis]);
      if (!reduced(axis)) {
        place += rest % size * step;
        step *= size;
      }
      rest /= size;
    }
    y[place] = fold(y[place], elements[i]);
  }
  return from_vector(y, shape, x.dtype());
}

}  // namespace detail

/// Over `axes`, each in [0, ndim); the reduced axes are dropped, or kept with size 1.
inline Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return detail::fold_axes(x, axes, keepdims, 0,
                           [](double total, double value) { return total + value; });
}

inline Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  double count = 1;
  for (const int axis : axes) count *= static_cast<double>(x.shape()[axis]);
  const Tensor total =
      reference::sum(to(x, DType::kFloat64), axes, keepdims);  // rounded once, at the end
  std::vector<double> y = values(total);
  for (double& element : y) element /= count;
  return from_vector(y, total.shape(), x.dtype());
}

inline Tensor max(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  return detail::fold_axes(x, axes, keepdims, kLowest, [](double largest, double value) {
    if (std::isnan(largest) || std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    return std::max(largest, value);
  });
}

inline Tensor min(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  constexpr double kHighest = std::numeric_limits<double>::infinity();
  return detail::fold_axes(x, axes, keepdims, kHighest, [](double smallest, double value) {
    if (std::isnan(smallest) || std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    return std::min(smallest, value);
  });
}

/// Over one axis in [0, ndim), or over all elements: the first largest one, or the first NaN.
inline Tensor argmax(const Tensor& x, int axis, bool keepdims) {
  const Split split = split_at(x.shape(), axis);
  const std::vector<double> elements = values(x);
  std::vector<double> places;
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const auto at = [&](std::size_t i) {
        return elements[(outer * split.along + i) * split.inner + inner];
      };
      std::size_t best = 0;
      for (std::size_t i = 1; i < split.along; ++i) {
        if (std::isnan(at(best))) break;
        if (at(i) > at(best) || std::isnan(at(i))) best = i;
      }
      places.push_back(static_cast<double>(best));
    }
  }
  Shape shape;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != axis) shape.push_back(x.shape()[i]);
    if (i == axis && keepdims) shape.push_back(1);
  }
  return from_vector(places, shape, DType::kInt64);
}

inline Tensor argmax(const Tensor& x) {
  return reference::argmax(from_vector(values(x), {x.numel()}, x.dtype()), 0, /*keepdims=*/false);
}

/// dx = dy / number of ties where x equals the extreme of its slice along `axis`, else 0. y and dy
/// have no such axis.
inline Tensor extremum_backward(const Tensor& x, const Tensor& y, const Tensor& dy, int axis) {
  const Split split = split_at(x.shape(), axis);
  const std::vector<double> elements = values(x);
  const std::vector<double> extremes = values(y);
  const std::vector<double> upstream = values(dy);
  std::vector<double> dx(elements.size(), 0.0);
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const std::size_t slice = outer * split.inner + inner;
      std::vector<std::size_t> ties;
      for (std::size_t i = 0; i < split.along; ++i) {
        const std::size_t at = (outer * split.along + i) * split.inner + inner;
        const bool both_nan = std::isnan(elements[at]) && std::isnan(extremes[slice]);
        if (elements[at] == extremes[slice] || both_nan) ties.push_back(at);
      }
      for (const std::size_t at : ties) {
        dx[at] = upstream[slice] / static_cast<double>(ties.size());
      }
    }
  }
  return from_vector(dx, x.shape(), x.dtype());
}

}  // namespace gradwalk::reference
