#pragma once

#include "tensor/layout.h"
#include "tensor/tensor.h"

namespace gradwalk {

/// Distance between neighbours along an axis counted from the end, -1 the last; 0 for an axis
/// before the first.
inline std::int64_t stride_from_end(const Tensor& x, int axis) {
  return x.ndim() + axis < 0 ? 0 : x.strides()[static_cast<std::size_t>(x.ndim() + axis)];
}

/// A tensor like `like`, [.., H, T, *], with `width` features, uninitialised. It lies in memory as
/// `like` does: where the heads of a position stand beside each other, [.., T, H, *] seen as
/// [.., H, T, *], they do so in the result, and merging them is a view. Else it is contiguous.
///
/// @param like  of ndim 3 or 4, or any other: then the result is contiguous
inline Tensor empty_in_layout_of(const char* op, const Tensor& like, std::int64_t width) {
  Shape shape = like.shape();
  shape.set(-1, width);
  const bool has_heads = like.ndim() == 3 || like.ndim() == 4;
  const bool heads_inside = has_heads && shape[-3] > 1 && shape[-2] > 1 &&
                            stride_from_end(like, -3) < stride_from_end(like, -2);
  if (!heads_inside) return Tensor(op, shape, like.dtype());
  if (like.ndim() == 3) {
    return permute(Tensor(op, {shape[1], shape[0], width}, like.dtype()), {1, 0, 2});
  }
  return permute(Tensor(op, {shape[0], shape[2], shape[1], width}, like.dtype()), {0, 2, 1, 3});
}

}  // namespace gradwalk
