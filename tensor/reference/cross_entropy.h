#pragma once

#include <algorithm>
#include <cmath>

#include "tensor/cross_entropy.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace detail {

/// One row that counts.
struct Row {
  const double* x;
  std::size_t classes;
  double target;
};

inline bool is_all_masked(const Row& row) {
  return std::all_of(row.x, row.x + row.classes, [](double x) { return x == -kInfinity; });
}

/// -log softmax(x)_j = m + log sum_k exp(x_k - m) - x_j, with the largest logit m.
class Surprise {
 public:
  explicit Surprise(const Row& row)
      : x_(row.x), largest_(*std::max_element(row.x, row.x + row.classes)) {
    for (std::size_t k = 0; k < row.classes; ++k) total_ += std::exp(row.x[k] - largest_);
  }
  double operator()(std::size_t j) const { return std::log(total_) + (largest_ - x_[j]); }

 private:
  const double* x_;
  double largest_;
  double total_ = 0;
};

/// How much of the target class j has.
inline double wanted_share(const Row& row, std::size_t j, double smoothing) {
  const double hit = static_cast<double>(j) == row.target ? 1 : 0;
  return (1 - smoothing) * hit + smoothing / static_cast<double>(row.classes);
}

inline bool is_ignored(double id, const CrossEntropyOptions& options) {
  return options.ignore_index && id == static_cast<double>(*options.ignore_index);
}

inline double rows_that_count(const std::vector<double>& ids, const CrossEntropyOptions& options) {
  double count = 0;
  for (const double id : ids) {
    if (!is_ignored(id, options)) ++count;
  }
  return options.reduction == LossReduction::kMean && count > 0 ? count : 1;
}

}  // namespace detail

/// loss_b = sum_j q_bj (m + log sum_k exp(x_bk - m) - x_bj) with q_bj = (1 - e) (j == t_b) + e / V,
/// terms with q_bj = 0 left out; +inf in a row that is all -inf. Summed over the rows whose target
/// is not ignored, and for the mean divided by their number.
inline Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                            const CrossEntropyOptions& options = {}) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  double total = 0;
  for (std::size_t b = 0; b < ids.size(); ++b) {
    if (detail::is_ignored(ids[b], options)) continue;
    const detail::Row row{x.data() + b * classes, classes, ids[b]};
    const bool masked = detail::is_all_masked(row);
    const detail::Surprise surprise(row);
    for (std::size_t j = 0; j < classes; ++j) {
      const double share = detail::wanted_share(row, j, options.label_smoothing);
      if (share > 0) total += share * (masked ? detail::kInfinity : surprise(j));
    }
  }
  return scalar(total / detail::rows_that_count(ids, options), logits.dtype());
}

/// dy (softmax(x_b)_j - q_bj), for the mean divided by the number of rows that count; 0 in rows
/// that are ignored or all -inf.
inline Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                                     const CrossEntropyOptions& options = {}) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  const double by = detail::rows_that_count(ids, options);
  std::vector<double> dx(x.size());
  for (std::size_t b = 0; b < ids.size(); ++b) {
    const detail::Row row{x.data() + b * classes, classes, ids[b]};
    if (detail::is_ignored(ids[b], options) || detail::is_all_masked(row)) continue;
    const detail::Surprise surprise(row);
    for (std::size_t j = 0; j < classes; ++j) {
      const double excess =
          std::exp(-surprise(j)) - detail::wanted_share(row, j, options.label_smoothing);
      dx[b * classes + j] = dy.item() * excess / by;
    }
  }
  return from_vector(dx, logits.shape(), logits.dtype());
}

}  // namespace gradwalk::reference
