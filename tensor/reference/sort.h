#pragma once

#include <cmath>

#include "tensor/reference/values.h"
#include "tensor/sort.h"

namespace gradwalk::reference {
namespace detail {

/// Whether a goes before b.
inline bool goes_before(double a, double b, bool largest) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(largest ? a : b) && std::isnan(a) != std::isnan(b);
  return largest ? a > b : a < b;
}

}  // namespace detail

/// The first k of each slice along `axis` in [0, ndim), found one after the other: the best that is
/// left, and of equal ones the first. NaN counts as the largest.
inline Sorted topk(const Tensor& x, std::int64_t k, int axis, bool largest) {
  const Split split = split_at(x.shape(), axis);
  const auto kept = static_cast<std::size_t>(k);
  const std::vector<double> elements = values(x);
  std::vector<double> found(split.outer * kept * split.inner);
  std::vector<double> places(found.size());
  for (std::size_t outer = 0; outer < split.outer; ++outer) {
    for (std::size_t inner = 0; inner < split.inner; ++inner) {
      const auto at = [&](std::size_t i) {
        return elements[(outer * split.along + i) * split.inner + inner];
      };
      std::vector<bool> taken(split.along, false);
      for (std::size_t rank = 0; rank < kept; ++rank) {
        std::size_t best = split.along;
        for (std::size_t i = 0; i < split.along; ++i) {
          if (taken[i]) continue;
          if (best == split.along || detail::goes_before(at(i), at(best), largest)) best = i;
        }
        taken[best] = true;
        const std::size_t to = (outer * kept + rank) * split.inner + inner;
        found[to] = at(best);
        places[to] = static_cast<double>(best);
      }
    }
  }
  Shape shape = x.shape();
  shape.set(axis, k);
  return {from_vector(found, shape, x.dtype()), from_vector(places, shape, DType::kInt64)};
}

}  // namespace gradwalk::reference
