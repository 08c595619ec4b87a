#include "tensor/cross_entropy.h"

#include <fmt/format.h>

#include "tensor/checks.h"
#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/cross_entropy.h"

namespace gradwalk {
namespace {

Shape without_last(const Shape& shape) {
  return Shape(std::span<const std::int64_t>(shape.begin(), shape.end() - 1));
}

// Returns the targets in row-major order.
Tensor check(const char* op, const Tensor& logits, const Tensor& targets,
             const CrossEntropyOptions& options) {
  check_defined(op, logits);
  check_defined(op, targets);
  const Operand x{"logits", logits.shape()};
  const Operand t{"targets", targets.shape()};
  check_float(op, logits.dtype(), {x, t});
  if (logits.ndim() == 0 || logits.shape()[-1] == 0) {
    throw_shape_error(op, "logits with at least one class on the last axis", logits.shape().str(),
                      {x, t});
  }
  if (targets.shape() != without_last(logits.shape())) {
    throw_shape_error(op, fmt::format("targets.shape == {}", without_last(logits.shape()).str()),
                      targets.shape().str(), {x, t});
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw_argument_error(op, "label_smoothing in [0, 1]",
                         fmt::format("{}", options.label_smoothing), {x, t});
  }
  return checked_ids(op, "targets", targets, logits.shape()[-1], options.ignore_index, {x, t});
}

// What the reduction divides by: the number of targets that count, but 1 for a sum, and for a mean
// over none, whose sum is 0 already.
double divisor(const Tensor& ids, const CrossEntropyOptions& options) {
  if (options.reduction == LossReduction::kSum) return 1;
  const std::int64_t* id = ids.data<std::int64_t>();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < ids.numel(); ++i) count += id[i] == options.ignore_index ? 0 : 1;
  return count == 0 ? 1 : static_cast<double>(count);
}

template <class T>
kernels::ClassRows<T> rows(const Tensor& logits, const Tensor& ids,
                           const CrossEntropyOptions& options) {
  return {ids.numel(),          logits.shape()[-1],     logits.data<T>(), ids.data<std::int64_t>(),
          options.ignore_index, options.label_smoothing};
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  const Tensor ids = check("cross_entropy", logits, targets, options);
  return visit_float("cross_entropy", logits, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = contiguous(logits);
    const double total = kernels::cross_entropy(rows<T>(x, ids, options));
    return scalar(total / divisor(ids, options), logits.dtype());
  });
}

Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                              const CrossEntropyOptions& options) {
  const Tensor ids = check("cross_entropy_backward", logits, targets, options);
  check_defined("cross_entropy_backward", dy);
  const Operand x{"logits", logits.shape()};
  check_loss_gradient("cross_entropy_backward", dy, x, logits.dtype(),
                      {x, {"targets", targets.shape()}, {"dy", dy.shape()}});
  return visit_float("cross_entropy_backward", logits, [&](auto zero) {
    using T = decltype(zero);
    const Tensor own = contiguous(logits);
    Tensor dx("cross_entropy_backward", logits.shape(), logits.dtype());
    kernels::cross_entropy_backward(rows<T>(own, ids, options), dy.item() / divisor(ids, options),
                                    dx.mutable_data<T>());
    return dx;
  });
}

}  // namespace gradwalk
