#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// Which two features of a position turn together as one pair.
enum class RopeLayout : std::uint8_t {
  kInterleaved,  ///< neighbours (2i, 2i + 1): RoFormer, LLaMA's own code
  kHalves,       ///< (i, i + D / 2): LLaMA checkpoints in Hugging Face's layout
};

struct RopeOptions {
  double base = 10000;  ///< the slowest pair turns by about 1 / base radians a position
  RopeLayout layout = RopeLayout::kInterleaved;
};

/// Rotary position embedding: turns pair i of the features at position p by the angle p theta_i, so
/// that the product of a query and a key depends on their distance only.
///
///   theta_i = base^(-2i / D) radians a position,   i = 0, ..., D / 2 - 1
///   (a, b)  ->  (a cos - b sin, a sin + b cos)   of p theta_i
///
/// @param x          [..., T, D], float, D even
/// @param positions  [T], int64, one for each row, in any order; negative ones turn backwards
/// @param start      or the position of the first row: the rows are at start, start + 1, ...
/// @return           the shape of x, and its layout where the heads of a position stand beside each
///                   other ([B, T, H, D] seen as [B, H, T, D]); every pair keeps its length
/// @throws ShapeError if ndim < 2, D is odd or positions is not [T]; std::invalid_argument for
///         dtypes, unless 0 < base < inf, or if start + T does not fit 63 bits
/// @note   Angles, sines and cosines are computed in float64 and rounded to x's dtype, in which the
///         products are. Positions are exact up to 2^53.
/// Source  Su et al. 2021 (RoFormer), equation 34
Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options = {});
Tensor rope(const Tensor& x, std::int64_t start = 0, const RopeOptions& options = {});

/// The gradient of rope: dx is dy turned back, by the negative angles.
///
/// @param dy  gradient of the loss with respect to what rope returned, [..., T, D]
Tensor rope_backward(const Tensor& dy, const Tensor& positions, const RopeOptions& options = {});

}  // namespace gradwalk
