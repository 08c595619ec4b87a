#include "tensor/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/kernels/embedding.h"

namespace gradwalk {

Tensor embedding(const Tensor& ids, const Tensor& weight) {
  check_defined("embedding", ids);
  check_defined("embedding", weight);
  const Operand i{"ids", ids.shape()};
  const Operand w{"weight", weight.shape()};
  check_float("embedding", weight.dtype(), {i, w});
  if (weight.ndim() != 2) {
    throw_shape_error("embedding", "weight with ndim 2", fmt::format("{}", weight.ndim()), {i, w});
  }
  if (ids.ndim() == kMaxNdim) {
    throw_shape_error("embedding", fmt::format("ids with ndim < {}", kMaxNdim),
                      fmt::format("{}", ids.ndim()), {i, w});
  }
  const Tensor rows = checked_ids("embedding", "ids", ids, weight.shape()[0], std::nullopt, {i, w});
  Shape shape = ids.shape();
  shape.push_back(weight.shape()[1]);
  return visit_float("embedding", weight, [&](auto zero) {
    using T = decltype(zero);
    Tensor y("embedding", shape, weight.dtype());
    kernels::embedding<T>(
        {rows.numel(), rows.data<std::int64_t>(), weight.shape()[0], weight.shape()[1]},
        {weight.data<T>(), weight.strides()[0], weight.strides()[1]}, y.mutable_data<T>());
    return y;
  });
}

Tensor embedding_backward(const Tensor& ids, std::int64_t rows, const Tensor& dy) {
  constexpr const char* kOp = "embedding_backward";
  check_defined(kOp, ids);
  check_defined(kOp, dy);
  const Operand i{"ids", ids.shape()};
  const Operand d{"dy", dy.shape()};
  check_float(kOp, dy.dtype(), {i, d});
  const bool fits = dy.ndim() == ids.ndim() + 1 &&
                    std::equal(ids.shape().begin(), ids.shape().end(), dy.shape().begin());
  if (!fits) {
    throw_shape_error(kOp, "dy with the shape of ids and one axis more", dy.shape().str(), {i, d});
  }
  const Tensor places = checked_ids(kOp, "ids", ids, rows, std::nullopt, {i, d});
  return visit_float(kOp, dy, [&](auto zero) {
    using T = decltype(zero);
    const Tensor upstream = contiguous(dy);
    Tensor dweight(kOp, {rows, dy.shape()[-1]}, dy.dtype());
    kernels::embedding_backward<T>(
        {places.numel(), places.data<std::int64_t>(), rows, dy.shape()[-1]}, upstream.data<T>(),
        dweight.mutable_data<T>());
    return dweight;
  });
}

}  // namespace gradwalk
