#include "tensor/reference/logsumexp.h"

#include <cmath>
#include <limits>

#include "tensor/reference/slices.h"

namespace gradwalk::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Parts {
  double largest = -kInfinity;
  bool any_nan = false;
  double total = 0;  // of exp(x - largest)
};

Parts parts(const std::vector<double>& slice) {
  Parts p;
  for (const double value : slice) {
    if (value > p.largest) p.largest = value;
    if (std::isnan(value)) p.any_nan = true;
  }
  for (const double value : slice) p.total += std::exp(value - p.largest);
  return p;
}

}  // namespace

Tensor logsumexp(const Tensor& x, const std::vector<int>& axes) {
  return fold_slices(x, axes, [](const std::vector<double>& slice) {
    const Parts p = parts(slice);
    if (p.any_nan) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(p.largest)) return p.largest;
    return std::log(p.total) + p.largest;
  });
}

Tensor logsumexp_backward(const Tensor& x, const Tensor& dy, const std::vector<int>& axes) {
  return map_slices(x, dy, axes, [](std::vector<double>& slice, double upstream) {
    const Parts p = parts(slice);
    const bool all_masked = p.largest == -kInfinity && !p.any_nan;
    for (double& value : slice) {
      value = all_masked ? 0 : upstream * std::exp(value - p.largest) / p.total;
    }
  });
}

}  // namespace gradwalk::reference
