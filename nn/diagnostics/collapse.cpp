#include "nn/diagnostics/collapse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/entropy.h"
#include "nn/statistics/summary.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

std::vector<double> checked_scores(const char* op, const Tensor& scores, std::int64_t least) {
  check_defined(op, scores);
  check_float(op, scores.dtype(), {{"scores", scores.shape()}});
  if (scores.ndim() != 1 || scores.shape()[0] < least) {
    throw_shape_error(op, fmt::format("scores [N], N >= {}", least), scores.shape().str(),
                      {{"scores", scores.shape()}});
  }
  return scores.to_vector();
}

double ratio(double part, double whole) { return part == 0 ? 0 : part / whole; }

// |a_i - b_j|, [N, M]
Tensor distances(const Tensor& a, const Tensor& b) {
  return length(unsqueeze(to(a, DType::kFloat64), 1) - unsqueeze(to(b, DType::kFloat64), 0));
}

}  // namespace

double ordered_pairs(const Tensor& scores, double margin) {
  const std::vector<double> z = checked_scores("ordered_pairs", scores, 2);
  if (std::any_of(z.begin(), z.end(), [](double score) { return std::isnan(score); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::size_t ordered = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = i + 1; j < z.size(); ++j) ordered += z[j] - z[i] > margin;
  }
  return static_cast<double>(ordered) / (static_cast<double>(z.size() * (z.size() - 1)) / 2);
}

double low_half_spread(const Tensor& scores) {
  const std::vector<double> all = checked_scores("low_half_spread", scores, 4);
  const std::vector<double> low(all.begin(),
                                all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  const double whole = summarize(all).standard_deviation;
  return std::isnan(whole) ? whole : ratio(summarize(low).standard_deviation, whole);
}

double within_between_distance(const Tensor& group, const Tensor& others) {
  check_defined("within_between_distance", group);
  check_defined("within_between_distance", others);
  const Operand left{"group", group.shape()};
  const Operand right{"others", others.shape()};
  check_float("within_between_distance", group.dtype(), {left, right});
  check_same_dtype("within_between_distance", left, group.dtype(), right, others.dtype());
  if (group.ndim() != 2 || others.ndim() != 2 || group.shape()[0] < 2 || others.shape()[0] < 1 ||
      group.shape()[1] != others.shape()[1]) {
    throw_shape_error("within_between_distance", "group [N, D], N >= 2, and others [M, D], M >= 1",
                      fmt::format("{} and {}", group.shape().str(), others.shape().str()),
                      {left, right});
  }
  const auto n = static_cast<double>(group.shape()[0]);
  const double within = sum(distances(group, group)).item() / (n * (n - 1));
  const double between = mean(distances(group, others)).item();
  return std::isnan(between) ? between : ratio(within, between);
}

double effective_rank(const Tensor& points) {
  check_defined("effective_rank", points);
  if (points.ndim() != 2) {
    throw_shape_error("effective_rank", "points [N, D]", points.shape().str(),
                      {{"points", points.shape()}});
  }
  const Tensor values = svd(to(points, DType::kFloat64)).s;
  const double total = sum(values).item();
  return total == 0 ? 0 : std::exp(entropy(values / total).item());
}

}  // namespace gradwalk::nn
