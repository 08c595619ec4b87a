#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_05 {

inline constexpr DType kF64 = DType::kFloat64;

/// What the entries of queries and keys are drawn from: independent, normal.
struct Entries {
  double mean = 0;
  double deviation = 1;

  auto operator<=>(const Entries&) const = default;
};

/// Scores q.k of independent pairs. The sum over components is read off on its way: row i has the
/// sum of the first widths[i] products.
///
/// @param widths  rising
/// @return        [widths, pairs], float64
Tensor pair_scores(const std::vector<std::int64_t>& widths, std::int64_t pairs,
                   const Entries& entries, Generator generator);

double variance(const Tensor& scores);

/// How far a variance of `count` scores may be off, as a share of it: 5 standard errors. Its own
/// variance is 2/count for normal scores, (2 + 6/d_k)/count for sums of d_k products.
double variance_tolerance(double count);

/// Which share of the scores is larger than `low`, and at most `high`, in absolute value; a `low`
/// below 0 leaves none out.
double share_between(const Tensor& scores, double low, double high);

/// The absolute value below which a share of the scores lies; share in [0, 1).
double quantile(const Tensor& scores, double share);

/// Scores of queries and keys with N(0, 1) entries, unscaled, [queries, keys], float64.
Tensor random_scores(std::int64_t queries, std::int64_t keys, std::int64_t d_k,
                     Generator generator);

/// Frobenius norm of the softmax's Jacobian dw_i/ds_j = w_i (1[i=j] - w_j): no gradient gets
/// through that is longer than |J| times what comes in.
///
/// @param weights  [N, S], rows that sum to 1
/// @return         [N], float64: 0 for a single weight of 1, at most 1/2, for two weights of 1/2:
///                 the square is at most p - p^2 with p = sum w_i^2
Tensor jacobian_norms(const Tensor& weights);

/// 1 / sqrt(d_k).
double root_factor(std::int64_t d_k);

/// What becomes of rows of scores in a softmax: means over the rows.
struct Saturation {
  double entropy = 0;     ///< nats; ln S for equal weights
  double max_weight = 0;  ///< the largest of a row
  double jacobian = 0;    ///< Frobenius norm, see above
  double dead = 0;        ///< share of rows whose |J| is below 1 % of 1/2
  double tiny = 0;        ///< share of all weights below 1e-6
};

/// @param scores  [N, S], float64
Saturation saturation_of(const Tensor& scores);
Saturation mean_of(const std::vector<Saturation>& seeds);

/// The smallest gap in [0, limit] at which `vanishes` holds, to 1e-6; it must hold from there on.
/// Infinity if it does not hold at the limit.
double first_gap(const std::function<bool(double)>& vanishes, double limit);

}  // namespace gradwalk::lesson_05
