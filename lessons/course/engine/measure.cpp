#include "lessons/course/engine/measure.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tensor/elementwise.h"

namespace gradwalk::course {

double largest(const Tensor& x) {
  double size = 0;
  for (const double value : x.to_vector()) {
    if (!(std::abs(value) <= size)) size = std::abs(value);
    if (std::isnan(size)) return size;
  }
  return size;
}

double distance(const Tensor& a, const Tensor& b) {
  return largest(to(a, DType::kFloat64) - to(b, DType::kFloat64));
}

double relative_distance(const Tensor& a, const Tensor& b) { return distance(a, b) / largest(b); }

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("spread_of: expected values, got none");
  Spread spread{values[0], 0, values[0]};
  for (const double value : values) {
    if (std::isnan(value)) return {value, value, value};
    spread.lowest = std::min(spread.lowest, value);
    spread.highest = std::max(spread.highest, value);
    spread.mean += value / static_cast<double>(values.size());
  }
  return spread;
}

}  // namespace gradwalk::course
