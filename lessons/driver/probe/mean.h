#pragma once

#include <cmath>
#include <limits>

namespace gradwalk::probe {

/// A mean of numbers that come one by one; NaN stands for one that is not there and does not count.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  int count() const { return count_; }
  double value() const {
    return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / count_;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace gradwalk::probe
