#include "tensor/kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/kernels/lane_sum.h"

// The log-sum is taken relative to the row's maximum, so that the loss of a very unlikely class
// keeps its digits: the probability itself, which would underflow, is never formed.

namespace gradwalk::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct LogSum {
  double largest;  // 0 where every logit is -inf, so that nothing is inf - inf
  double sum;      // of exp(x_i - largest), so 0 in a fully masked row and there only
};

template <class T>
LogSum log_sum(const T* x, std::int64_t classes) {
  double largest = static_cast<double>(*std::max_element(x, x + classes));
  if (largest == -kInfinity) largest = 0;
  return {largest, lane_sum(classes, [=](std::int64_t i) {
            return std::exp(static_cast<double>(x[i]) - largest);
          })};
}

template <class T>
double loss(const T* x, std::int64_t classes, std::int64_t target, double smoothing) {
  const auto [largest, sum] = log_sum(x, classes);
  if (sum == 0) return kInfinity;
  double result = 0;
  // Each part is left out where its weight is 0, for 0 * inf would be NaN.
  if (smoothing < 1) {
    result += (1 - smoothing) * (std::log(sum) + (largest - static_cast<double>(x[target])));
  }
  if (smoothing > 0) {
    const double gaps = lane_sum(
        classes, [x, m = largest](std::int64_t i) { return m - static_cast<double>(x[i]); });
    result += smoothing * (std::log(sum) + gaps / static_cast<double>(classes));
  }
  return result;
}

}  // namespace

template <class T>
double cross_entropy(const ClassRows<T>& in) {
  double total = 0;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const std::int64_t target = in.targets[row];
    if (target == in.ignored) continue;
    total += loss(in.x + row * in.classes, in.classes, target, in.smoothing);
  }
  return total;
}

template <class T>
void cross_entropy_backward(const ClassRows<T>& in, double share, T* dx) {
  const double everywhere = in.smoothing / static_cast<double>(in.classes);
  const double at_target = 1 - in.smoothing;
  const T* x = in.x;
  for (std::int64_t row = 0; row < in.rows; ++row, x += in.classes, dx += in.classes) {
    const std::int64_t target = in.targets[row];
    const LogSum sums = target == in.ignored ? LogSum{0, 0} : log_sum(x, in.classes);
    if (sums.sum == 0) {
      std::fill(dx, dx + in.classes, T{});
      continue;
    }
    for (std::int64_t i = 0; i < in.classes; ++i) {
      const double p = std::exp(static_cast<double>(x[i]) - sums.largest) / sums.sum;
      dx[i] = static_cast<T>(share * (p - everywhere - (i == target ? at_target : 0)));
    }
  }
}

template double cross_entropy(const ClassRows<float>&);
template double cross_entropy(const ClassRows<double>&);
template void cross_entropy_backward(const ClassRows<float>&, double, float*);
template void cross_entropy_backward(const ClassRows<double>&, double, double*);

}  // namespace gradwalk::kernels
