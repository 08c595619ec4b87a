#pragma once

#include <limits>
#include <vector>

#include "tensor/create.h"
#include "tensor/detail/dispatch.h"

namespace gradwalk::reference {
namespace detail {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace detail

/// The elements of x in row-major order as float64, read one by one through the strides.
inline std::vector<double> values(const Tensor& x) {
  std::vector<double> result;
  std::vector<std::int64_t> index(static_cast<std::size_t>(x.ndim()), 0);
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      std::int64_t place = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        place += index[axis] * x.strides()[axis];
      result.push_back(static_cast<double>(x.data<T>()[place]));
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < x.shape()[static_cast<int>(axis)]) break;
        index[axis] = 0;
      }
    }
  });
  return result;
}

/// Sizes of x seen as [outer, along, inner], with `axis` in the middle.
struct Split {
  std::size_t outer = 1;
  std::size_t along = 1;
  std::size_t inner = 1;
};

inline Split split_at(const Shape& shape, int axis) {
  Split split;
  for (int i = 0; i < shape.ndim(); ++i) {
    std::size_t& part = i < axis ? split.outer : i == axis ? split.along : split.inner;
    part *= static_cast<std::size_t>(shape[i]);
  }
  return split;
}

}  // namespace gradwalk::reference
