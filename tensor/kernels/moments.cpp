#include "tensor/kernels/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradwalk::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
double mean_of(const ReductionPlan& plan, const T* slice) {
  const auto count = static_cast<double>(plan.inner.numel());
  double total = 0;
  for_each_element(plan, slice, [&](T value) { total += static_cast<double>(value); });
  if (std::isfinite(total)) return total / count;
  // The sum of numbers near the end of float64 may not fit where their mean does.
  double mean = 0;
  for_each_element(plan, slice, [&](T value) { mean += static_cast<double>(value) / count; });
  return mean;
}

// sum (x_i - m)^2. What rounding left in m adds N (m - mean)^2, which the second term takes away.
template <class T>
double squared_deviations(const ReductionPlan& plan, const T* slice) {
  const double mean = mean_of(plan, slice);
  double squares = 0;
  double rest = 0;
  for_each_element(plan, slice, [&](T value) {
    const double deviation = static_cast<double>(value) - mean;
    squares += deviation * deviation;
    rest += deviation;
  });
  if (!std::isfinite(squares)) return squares;
  return std::max(0.0, squares - rest * (rest / static_cast<double>(plan.inner.numel())));
}

// A sum of squares below this may have lost digits to underflow.
constexpr double kSafeSquares = 0x1p-900;

template <class T>
double norm_of(const ReductionPlan& plan, const T* slice) {
  double squares = 0;
  for_each_element(plan, slice, [&](T value) {
    squares += static_cast<double>(value) * static_cast<double>(value);
  });
  if ((squares >= kSafeSquares && squares < kInfinity) || squares != squares) {
    return std::sqrt(squares);
  }
  // Squares left the range of float64, or nearly: measure in units of the largest element.
  double unit = 0;
  for_each_element(plan, slice,
                   [&](T value) { unit = std::max(unit, std::abs(static_cast<double>(value))); });
  if (unit == 0 || unit == kInfinity) return unit;
  squares = 0;
  for_each_element(plan, slice, [&](T value) {
    const double part = static_cast<double>(value) / unit;
    squares += part * part;
  });
  return unit * std::sqrt(squares);
}

}  // namespace

template <class T>
void var(const ReductionPlan& plan, const T* x, std::int64_t correction, T* y) {
  const std::int64_t divisor = plan.inner.numel() - correction;
  for_each_slice(plan, [&](std::int64_t offset) {
    *y++ = static_cast<T>(
        divisor <= 0 ? kNan : squared_deviations(plan, x + offset) / static_cast<double>(divisor));
  });
}

template <class T>
void var_backward(const ReductionPlan& from, const T* x, const T* dy, std::int64_t correction,
                  const ReductionPlan& to, T* dx) {
  const std::int64_t divisor = from.inner.numel() - correction;
  const double factor = divisor <= 0 ? kNan : 2 / static_cast<double>(divisor);
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    const double mean = mean_of(from, x + at[0]);
    const double upstream = static_cast<double>(*dy++) * factor;
    map_elements(from, x + at[0], to, dx + at[1], [&](T value) {
      return static_cast<T>(upstream * (static_cast<double>(value) - mean));
    });
  });
}

template <class T>
void norm(const ReductionPlan& plan, const T* x, T* y) {
  for_each_slice(plan,
                 [&](std::int64_t offset) { *y++ = static_cast<T>(norm_of(plan, x + offset)); });
}

template <class T>
void norm_backward(const ReductionPlan& from, const T* x, const T* dy, const ReductionPlan& to,
                   T* dx) {
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    const double length = norm_of(from, x + at[0]);
    const double upstream = static_cast<double>(*dy++);
    map_elements(from, x + at[0], to, dx + at[1], [&](T value) {
      return length == 0 ? T{} : static_cast<T>(upstream * (static_cast<double>(value) / length));
    });
  });
}

template void var(const ReductionPlan&, const float*, std::int64_t, float*);
template void var(const ReductionPlan&, const double*, std::int64_t, double*);
template void var_backward(const ReductionPlan&, const float*, const float*, std::int64_t,
                           const ReductionPlan&, float*);
template void var_backward(const ReductionPlan&, const double*, const double*, std::int64_t,
                           const ReductionPlan&, double*);
template void norm(const ReductionPlan&, const float*, float*);
template void norm(const ReductionPlan&, const double*, double*);
template void norm_backward(const ReductionPlan&, const float*, const float*, const ReductionPlan&,
                            float*);
template void norm_backward(const ReductionPlan&, const double*, const double*,
                            const ReductionPlan&, double*);

}  // namespace gradwalk::kernels
