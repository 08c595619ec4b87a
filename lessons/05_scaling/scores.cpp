#include "lessons/05_scaling/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/diagnostics/entropy.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_05 {
namespace {

double share_of_true(const Tensor& condition) { return mean(to(condition, kF64)).item(); }

}  // namespace

Tensor pair_scores(const std::vector<std::int64_t>& widths, std::int64_t pairs,
                   const Entries& entries, Generator generator) {
  const Shape shape = {pairs, widths.back()};
  const Tensor q = normal(shape, generator) * entries.deviation + entries.mean;
  const Tensor k = normal(shape, generator) * entries.deviation + entries.mean;
  const Tensor products = q * k;
  std::vector<Tensor> rows;
  Tensor sum_so_far = zeros({pairs}, kF64);
  std::int64_t begin = 0;
  for (const std::int64_t width : widths) {
    sum_so_far = sum_so_far + to(sum(slice(products, 1, begin, width), 1), kF64);
    rows.push_back(sum_so_far);
    begin = width;
  }
  return stack(rows, /*axis=*/0);
}

double variance(const Tensor& scores) {
  const Tensor centred = scores - mean(scores);
  return mean(centred * centred).item();
}

double variance_tolerance(double count) { return 5 * std::sqrt(2.5 / count); }

double share_between(const Tensor& scores, double low, double high) {
  const Tensor sizes = abs(scores);
  return share_of_true(logical_and(greater(sizes, low), less_equal(sizes, high)));
}

double quantile(const Tensor& scores, double share) {
  std::vector<double> sizes = scores.to_vector();
  for (double& size : sizes) size = std::abs(size);
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sizes.size()));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

Tensor random_scores(std::int64_t queries, std::int64_t keys, std::int64_t d_k,
                     Generator generator) {
  const Tensor q = normal({queries, d_k}, generator, kF64);
  const Tensor k = normal({keys, d_k}, generator, kF64);
  return matmul(q, transpose(k));
}

Tensor jacobian_norms(const Tensor& weights) {
  const std::vector<double> w = weights.to_vector();
  const auto rows = static_cast<std::size_t>(weights.shape()[0]);
  const auto keys = static_cast<std::size_t>(weights.shape()[1]);
  std::vector<double> norms(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* at = &w[row * keys];
    double squares = 0;
    for (std::size_t i = 0; i < keys; ++i) {
      // 1 - w_i as the sum of the others: near a one-hot row the difference has no digits left.
      double others = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        if (j == i) continue;
        others += at[j];
        squares += at[i] * at[i] * at[j] * at[j];
      }
      squares += at[i] * at[i] * others * others;
    }
    norms[row] = std::sqrt(squares);
  }
  return from_vector(norms, {weights.shape()[0]}, kF64);
}

double root_factor(std::int64_t d_k) { return 1 / std::sqrt(static_cast<double>(d_k)); }

Saturation saturation_of(const Tensor& scores) {
  const Tensor weights = softmax(scores, /*axis=*/-1);
  const Tensor norms = jacobian_norms(weights);
  return {.entropy = mean(nn::entropy(weights)).item(),
          .max_weight = mean(max(weights, -1)).item(),
          .jacobian = mean(norms).item(),
          .dead = share_of_true(less(norms, 0.01 * 0.5)),
          .tiny = share_of_true(less(weights, 1e-6))};
}

Saturation mean_of(const std::vector<Saturation>& seeds) {
  Saturation means;
  const auto count = static_cast<double>(seeds.size());
  for (const Saturation& one : seeds) {
    for (const auto part : {&Saturation::entropy, &Saturation::max_weight, &Saturation::jacobian,
                            &Saturation::dead, &Saturation::tiny}) {
      means.*part += one.*part / count;
    }
  }
  return means;
}

double first_gap(const std::function<bool(double)>& vanishes, double limit) {
  if (!vanishes(limit)) return std::numeric_limits<double>::infinity();
  double below = 0, above = limit;
  while (above - below > 1e-6) {
    const double middle = (below + above) / 2;
    (vanishes(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace gradwalk::lesson_05
