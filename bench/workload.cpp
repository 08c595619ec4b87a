#include "bench/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gradwalk::bench {

double to_figure(const Unit& unit, double amount, double seconds) {
  return unit.higher_is_better ? amount / seconds : seconds * unit.scale / amount;
}

std::string difference(const Tensors& got, const Tensors& want, double tolerance) {
  if (got.size() != want.size()) {
    return fmt::format("{} results in place of {}", got.size(), want.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::int64_t count = want[i].numel();
    if (got[i].numel() < count) {
      return fmt::format("result {}: {} in place of {}", i, got[i].shape().str(),
                         want[i].shape().str());
    }
    const Tensor left = contiguous(got[i]);
    const Tensor right = contiguous(want[i]);
    const float* a = left.data<float>();
    const float* b = right.data<float>();
    float apart = 0;
    float largest = 0;
    bool comparable = true;
    for (std::int64_t j = 0; j < count; ++j) {
      apart = std::max(apart, std::abs(a[j] - b[j]));
      largest = std::max(largest, std::abs(b[j]));
      comparable = comparable && std::isfinite(a[j]) && std::isfinite(b[j]);
    }
    if (!comparable) return fmt::format("result {}: not finite", i);
    if (!(apart <= tolerance * largest)) {
      return fmt::format("result {}: {:.3g} apart, largest {:.3g}, allowed {:.3g} of it", i, apart,
                         largest, tolerance);
    }
  }
  return "";
}

}  // namespace gradwalk::bench
