#include "tensor/reference/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One row that counts.
struct Row {
  const double* x;
  std::size_t classes;
  double target;
};

bool all_masked(const Row& row) {
  return std::all_of(row.x, row.x + row.classes, [](double x) { return x == -kInfinity; });
}

// -log softmax(x)_j = m + log sum_k exp(x_k - m) - x_j, with the largest logit m.
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

// How much of the target class j has.
double wanted(const Row& row, std::size_t j, double smoothing) {
  const double hit = static_cast<double>(j) == row.target ? 1 : 0;
  return (1 - smoothing) * hit + smoothing / static_cast<double>(row.classes);
}

bool ignored(double id, const CrossEntropyOptions& options) {
  return options.ignore_index && id == static_cast<double>(*options.ignore_index);
}

double divisor(const std::vector<double>& ids, const CrossEntropyOptions& options) {
  double count = 0;
  for (const double id : ids) {
    if (!ignored(id, options)) ++count;
  }
  return options.reduction == LossReduction::kMean && count > 0 ? count : 1;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  double total = 0;
  for (std::size_t b = 0; b < ids.size(); ++b) {
    if (ignored(ids[b], options)) continue;
    const Row row{x.data() + b * classes, classes, ids[b]};
    const bool masked = all_masked(row);
    const Surprise surprise(row);
    for (std::size_t j = 0; j < classes; ++j) {
      const double share = wanted(row, j, options.label_smoothing);
      if (share > 0) total += share * (masked ? kInfinity : surprise(j));
    }
  }
  return scalar(total / divisor(ids, options), logits.dtype());
}

Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                              const CrossEntropyOptions& options) {
  const std::vector<double> x = values(logits);
  const std::vector<double> ids = values(targets);
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  const double by = divisor(ids, options);
  std::vector<double> dx(x.size());
  for (std::size_t b = 0; b < ids.size(); ++b) {
    const Row row{x.data() + b * classes, classes, ids[b]};
    if (ignored(ids[b], options) || all_masked(row)) continue;
    const Surprise surprise(row);
    for (std::size_t j = 0; j < classes; ++j) {
      const double excess = std::exp(-surprise(j)) - wanted(row, j, options.label_smoothing);
      dx[b * classes + j] = dy.item() * excess / by;
    }
  }
  return from_vector(dx, logits.shape(), logits.dtype());
}

}  // namespace gradwalk::reference
