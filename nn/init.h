#pragma once

#include <string_view>

#include "nn/seed.h"
#include "tensor/tensor.h"

namespace gradwalk::nn {

/// How the numbers of a weight [out, in] begin.
enum class InitScheme {
  kZeros,
  kOnes,
  kNormal,          ///< N(0, gain^2)
  kUniform,         ///< U(-gain, gain)
  kXavierNormal,    ///< variance gain^2 2 / (in + out)
  kXavierUniform,   ///< the same variance
  kKaimingNormal,   ///< variance gain^2 / in: with gain sqrt(2) it keeps that of relu layers
  kKaimingUniform,  ///< the same variance
  kOrthogonal,  ///< gain times a matrix whose rows, or columns if they are fewer, are orthonormal
};

struct Init {
  InitScheme scheme = InitScheme::kNormal;
  double gain = 0.02;
};

/// "xavier_uniform" and so on: the names that --set takes.
/// @throws std::invalid_argument with the names there are
InitScheme init_scheme(std::string_view name);
const char* name(InitScheme scheme);

/// A new weight. `in` is the last axis, `out` the product of the others; a vector counts as [out]
/// with in = 1.
/// @param op  the function that errors name
/// @throws std::invalid_argument if the gain is not finite, or below 0; ShapeError for a 0-d shape
/// with a scheme that depends on sizes
/// Source  Glorot and Bengio 2010, eq. 16; He et al. 2015, eq. 10; Saxe et al. 2014
Tensor initial(const Shape& shape, const Init& init, const Seed& seed,
               DType dtype = DType::kFloat32, const char* op = "initial");

}  // namespace gradwalk::nn
