#pragma once

#include <cstdint>

#include "nn/seed.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_14 {

/// An untrained layer of 8 heads of 8 on 32 random tokens, head 0 with louder values.
struct ScaledValues {
  Tensor share;         ///< [8], of the output's energy
  Tensor output;        ///< [32, 64], what the layer adds to x
  double value_ratio;   ///< |v| of head 0 over the mean of the others
  double output_ratio;  ///< mean |output| / |x|
  double kept;          ///< mean cosine of LayerNorm(x + output) and LayerNorm(x)
};

/// @param factor  of head 0's rows of W_V
/// @param undone  divides its columns of W_O by as much
ScaledValues scaled_values(const nn::Seed& seed, Generator tokens, double factor, bool undone);

}  // namespace gradwalk::lesson_14
