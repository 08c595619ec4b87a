#include "tensor/cross_entropy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/cross_entropy.h"

namespace gradwalk {
namespace {

Shape without_last(const Shape& shape) {
  return Shape(std::span<const std::int64_t>(shape.begin(), shape.end() - 1));
}

// "[2, 0]": the index of an id in its tensor, for the error.
std::string index_text(std::int64_t position, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.ndim()));
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = position % shape[axis];
    position /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

void check(const char* op, const Tensor& logits, const Tensor& targets) {
  check_defined(op, logits);
  check_defined(op, targets);
  if (logits.ndim() == 0 || logits.shape()[-1] == 0) {
    throw_shape_error(op, "logits with at least one class on the last axis", logits.shape().str(),
                      {{"logits", logits.shape()}, {"targets", targets.shape()}});
  }
  if (targets.shape() != without_last(logits.shape())) {
    throw_shape_error(op, fmt::format("targets.shape == {}", without_last(logits.shape()).str()),
                      targets.shape().str(),
                      {{"logits", logits.shape()}, {"targets", targets.shape()}});
  }
  if (targets.dtype() != DType::kInt64) {
    throw_argument_error(op, "int64 targets", name(targets.dtype()),
                         {{"logits", logits.shape()}, {"targets", targets.shape()}});
  }
  const std::int64_t classes = logits.shape()[-1];
  const Tensor ids = contiguous(targets);
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    const std::int64_t id = ids.data<std::int64_t>()[i];
    if (id < 0 || id >= classes) {
      throw std::out_of_range(
          error_text(op, fmt::format("targets in [0, {})", classes),
                     fmt::format("{} at {}", id, index_text(i, targets.shape())),
                     {{"logits", logits.shape()}, {"targets", targets.shape()}}));
    }
  }
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets) {
  check("cross_entropy", logits, targets);
  return visit_float("cross_entropy", logits, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = contiguous(logits);
    const Tensor ids = contiguous(targets);
    const double loss = kernels::cross_entropy(ids.numel(), logits.shape()[-1], rows.data<T>(),
                                               ids.data<std::int64_t>());
    return scalar(loss, logits.dtype());
  });
}

Tensor cross_entropy_backward(const Tensor& logits, const Tensor& targets, const Tensor& dy) {
  check("cross_entropy_backward", logits, targets);
  return visit_float("cross_entropy_backward", logits, [&](auto zero) {
    using T = decltype(zero);
    const Tensor rows = contiguous(logits);
    const Tensor ids = contiguous(targets);
    Tensor dx("cross_entropy_backward", logits.shape(), logits.dtype());
    kernels::cross_entropy_backward(ids.numel(), logits.shape()[-1], rows.data<T>(),
                                    ids.data<std::int64_t>(), dy.item(), dx.mutable_data<T>());
    return dx;
  });
}

}  // namespace gradwalk
