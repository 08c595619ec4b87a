#pragma once

#include <cstdint>
#include <vector>

/// What numbers of several seeds, or of several tokens, say. A tensor's come by `to_vector()`. A
/// NaN among them stays visible in every result.
namespace gradwalk::nn {

struct Summary {
  std::int64_t count;
  double mean;
  double standard_deviation;  ///< of the sample, divisor n - 1; NaN for one number
  double standard_error;      ///< of the mean: standard_deviation / sqrt(n)
};

/// @throws std::invalid_argument if there are no values
Summary summarize(const std::vector<double>& values);

}  // namespace gradwalk::nn
