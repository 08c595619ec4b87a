#pragma once

#include "tensor/attention.h"

namespace gradwalk::test {

/// The operands of one attention, [B, H, T, Dh] and so on, and the gradient of its result.
struct AttentionProblem {
  Tensor query, key, value, dy;
  AttentionOptions options;
};

/// How far the fused kernels may lie from the exact results, in float64; +inf claims nothing.
struct AttentionBounds {
  Tensor y, dquery, dkey, dvalue;
};
AttentionBounds attention_bounds(const AttentionProblem& problem);

}  // namespace gradwalk::test
