#pragma once

#include <optional>

#include "tensor/loss_reduction.h"
#include "tensor/tensor.h"

namespace gradwalk {

struct CrossEntropyOptions {
  /// Targets with this id do not count, neither in the sum nor in the mean's divisor. None: every
  /// target counts. It may be an id of a class.
  std::optional<std::int64_t> ignore_index = -100;
  /// The share of each target that is spread evenly over all V classes, in [0, 1].
  double label_smoothing = 0;
  LossReduction reduction = LossReduction::kMean;
};

/// Negative log-likelihood of the targets, straight from the logits.
///
///   loss_b = -sum_j q_bj log softmax(x_b)_j,   q_bj = (1 - e) (j == t_b) + e / V
///          = (1 - e) (L_b - x_b,t_b) + e mean_j (L_b - x_bj),   L_b = log sum_j exp(x_bj)
///
/// in nats, with e = label_smoothing; the log-sum is shifted by the row's maximum and no
/// probability is formed. Exponentials are of the logits' dtype, their sums and all else in
/// float64: a row's loss is off by at most log V + 4 units of the dtype. The mean (or the sum) is
/// taken over the rows that count.
///
/// @param logits   [..., V], float, V >= 1
/// @param targets  int64 class ids in [0, V) or ignore_index, the shape of logits without its last
///                 axis
/// @return         a 0-d tensor; the mean over no targets is 0
/// @throws ShapeError if the shapes do not fit; std::out_of_range for any other id;
///         std::invalid_argument for dtypes and for label_smoothing outside [0, 1]
/// @note   A row that is all -inf (fully masked) costs +inf, as a target whose logit is -inf does,
///         and has a zero gradient. With label_smoothing each class has a part in each target, so a
///         single -inf costs +inf. A NaN or a +inf makes its row NaN, unless that row is ignored.
/// Source  Goodfellow, Bengio, Courville 2016, section 6.2.2.3; Szegedy et al. 2016, section 7
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});

/// What cross_entropy returns, with its gradient with respect to the logits (that for dy = 1): the
/// exponentials of the loss are most of the gradient's work, so both cost little more than one.
struct CrossEntropyResult {
  Tensor loss;
  Tensor dlogits;  ///< the shape of logits
};
CrossEntropyResult cross_entropy_with_gradient(const Tensor& logits, const Tensor& targets,
                                               const CrossEntropyOptions& options = {});

/// The gradient of cross_entropy with respect to the logits.
///
///   dx_bj = dy (softmax(x_b)_j - q_bj) / n
///
/// where n is the number of targets that count, or 1 for a sum. Zeros in rows that are ignored or
/// fully masked.
///
/// @param dy  gradient of what follows with respect to the loss, 0-d
Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                              const CrossEntropyOptions& options = {});

}  // namespace gradwalk
