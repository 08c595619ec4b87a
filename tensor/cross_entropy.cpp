#include "tensor/cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/cross_entropy.h"

namespace gradwalk {
namespace {

// What of the two does not fit.
[[noreturn]] void throw_misfit(const char* op, const Tensor& logits, const Tensor& targets,
                               const CrossEntropyOptions& options) {
  const Operand x{"logits", logits.shape()};
  const Operand t{"targets", targets.shape()};
  check_float(op, logits.dtype(), {x, t});
  if (logits.ndim() == 0 || logits.shape()[-1] == 0) {
    throw_shape_error(op, "logits with at least one class on the last axis", logits.shape().str(),
                      {x, t});
  }
  const Shape want = row_shape(logits.shape());
  if (targets.shape() != want) {
    throw_other_shape(op, "targets", targets.shape(), want, {x, t});
  }
  throw_argument_error(op, "label_smoothing in [0, 1]", fmt::format("{}", options.label_smoothing),
                       {x, t});
}

bool without_last_is(const Shape& shape, const Shape& other) {
  return std::equal(shape.begin(), shape.end() - 1, other.begin(), other.end());
}

// Returns the targets in row-major order.
Tensor check(const char* op, const Tensor& logits, const Tensor& targets,
             const CrossEntropyOptions& options) {
  check_defined(op, logits);
  check_defined(op, targets);
  const bool fits = is_float(logits.dtype()) && logits.ndim() > 0 && logits.shape()[-1] > 0 &&
                    without_last_is(logits.shape(), targets.shape()) &&
                    options.label_smoothing >= 0 && options.label_smoothing <= 1;
  if (!fits) throw_misfit(op, logits, targets, options);
  return checked_ids(op, "targets", targets, logits.shape()[-1], options.ignore_index,
                     {{"logits", logits.shape()}, {"targets", targets.shape()}});
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

CrossEntropyResult result(const char* op, const Tensor& logits, const Tensor& ids, double dy,
                          const CrossEntropyOptions& options) {
  return visit_float(op, logits, [&](auto zero) -> CrossEntropyResult {
    using T = decltype(zero);
    const Tensor x = contiguous(logits);
    const double count = divisor(ids, options);
    Tensor dlogits(op, logits.shape(), logits.dtype());
    const double total = kernels::cross_entropy_with_gradient(rows<T>(x, ids, options), dy / count,
                                                              dlogits.mutable_data<T>());
    return {scalar(total / count, logits.dtype()), dlogits};
  });
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

CrossEntropyResult cross_entropy_with_gradient(const Tensor& logits, const Tensor& targets,
                                               const CrossEntropyOptions& options) {
  const Tensor ids = check("cross_entropy", logits, targets, options);
  return result("cross_entropy", logits, ids, 1, options);
}

Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy,
                              const CrossEntropyOptions& options) {
  constexpr const char* kOp = "cross_entropy_backward";
  const Tensor ids = check(kOp, logits, targets, options);
  check_defined(kOp, dy);
  const Operand x{"logits", logits.shape()};
  check_loss_gradient(kOp, dy, x, logits.dtype(),
                      {x, {"targets", targets.shape()}, {"dy", dy.shape()}});
  return result(kOp, logits, ids, dy.item(), options).dlogits;
}

}  // namespace gradwalk
