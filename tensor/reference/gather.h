#pragma once

#include "tensor/tensor.h"

namespace gradwalk::reference {

/// y[i, j, k] = x[i, indices[i, j, k], k], `axis` in the middle; in [0, ndim) in all of these.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis);
/// dx[i, indices[i, j, k], k] += dy[i, j, k]
Tensor take_along_axis_backward(const Shape& shape, const Tensor& indices, int axis,
                                const Tensor& dy);
/// y[i, j, k] = x[i, ids[j], k]
Tensor index_select(const Tensor& x, int axis, const Tensor& ids);
/// dx[i, ids[j], k] += dy[i, j, k]
Tensor index_select_backward(const Shape& shape, int axis, const Tensor& ids, const Tensor& dy);
/// y[..., c] = (c == ids[...])
Tensor one_hot(const Tensor& ids, std::int64_t classes, DType dtype);

}  // namespace gradwalk::reference
