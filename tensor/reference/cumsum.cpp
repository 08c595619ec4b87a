#include "tensor/reference/cumsum.h"

#include "tensor/reference/slices.h"

namespace gradwalk::reference {
namespace {

// y_i = the sum of those x_j of its slice for which takes(i, j).
template <class Takes>
Tensor sums(const Tensor& x, int axis, Takes takes) {
  const std::vector<double> elements = values(x);
  std::vector<double> y(elements.size());
  for (const auto& places : slices(x.shape(), {axis})) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = 0; j < places.size(); ++j) {
        if (takes(i, j)) y[places[i]] += elements[places[j]];
      }
    }
  }
  return from_vector(y, x.shape(), x.dtype());
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis) {
  return sums(x, axis, [](std::size_t i, std::size_t j) { return j <= i; });
}

Tensor cumsum_backward(const Tensor& dy, int axis) {
  return sums(dy, axis, [](std::size_t i, std::size_t j) { return j >= i; });
}

}  // namespace gradwalk::reference
