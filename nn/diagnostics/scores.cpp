#include "nn/diagnostics/scores.h"

#include <cmath>
#include <limits>

#include "nn/diagnostics/masked.h"
#include "nn/statistics/summary.h"
#include "tensor/compare.h"
#include "tensor/detail/checks.h"

namespace gradwalk::nn {

Tensor visible_keys(const Tensor& masked_scores) {
  check_defined("visible_keys", masked_scores);
  check_float("visible_keys", masked_scores.dtype(), {{"masked_scores", masked_scores.shape()}});
  return not_equal(masked_scores, -std::numeric_limits<double>::infinity());
}

double score_variance(const Tensor& scores, const Tensor& visible) {
  const std::vector<double> seen =
      chosen("score_variance", {"scores", scores}, {"visible", visible});
  if (seen.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double deviation = summarize(seen).standard_deviation;
  return deviation * deviation;
}

}  // namespace gradwalk::nn
