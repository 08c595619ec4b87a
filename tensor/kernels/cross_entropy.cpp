#include "tensor/kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>

// The log-sum is taken relative to the row's maximum, so that the loss of a very unlikely class
// keeps its digits: the probability itself, which would underflow, is never formed.

namespace gradwalk::kernels {
namespace {

template <class T>
struct LogSum {
  double largest;
  double sum;  // of exp(x_i - largest)
};

template <class T>
LogSum<T> log_sum(const T* x, std::int64_t classes) {
  LogSum<T> result{static_cast<double>(*std::max_element(x, x + classes)), 0};
  for (std::int64_t i = 0; i < classes; ++i) {
    result.sum += std::exp(static_cast<double>(x[i]) - result.largest);
  }
  return result;
}

}  // namespace

template <class T>
double cross_entropy(std::int64_t rows, std::int64_t classes, const T* x,
                     const std::int64_t* targets) {
  double total = 0;
  for (std::int64_t row = 0; row < rows; ++row, x += classes) {
    const LogSum<T> log_sum_row = log_sum(x, classes);
    total +=
        std::log(log_sum_row.sum) + (log_sum_row.largest - static_cast<double>(x[targets[row]]));
  }
  return rows == 0 ? 0 : total / static_cast<double>(rows);
}

template <class T>
void cross_entropy_backward(std::int64_t rows, std::int64_t classes, const T* x,
                            const std::int64_t* targets, double dy, T* dx) {
  const double share = dy / static_cast<double>(rows);
  for (std::int64_t row = 0; row < rows; ++row, x += classes, dx += classes) {
    const LogSum<T> log_sum_row = log_sum(x, classes);
    for (std::int64_t i = 0; i < classes; ++i) {
      const double p = std::exp(static_cast<double>(x[i]) - log_sum_row.largest) / log_sum_row.sum;
      dx[i] = static_cast<T>(share * (p - (i == targets[row] ? 1 : 0)));
    }
  }
}

template double cross_entropy(std::int64_t, std::int64_t, const float*, const std::int64_t*);
template double cross_entropy(std::int64_t, std::int64_t, const double*, const std::int64_t*);
template void cross_entropy_backward(std::int64_t, std::int64_t, const float*, const std::int64_t*,
                                     double, float*);
template void cross_entropy_backward(std::int64_t, std::int64_t, const double*, const std::int64_t*,
                                     double, double*);

}  // namespace gradwalk::kernels
