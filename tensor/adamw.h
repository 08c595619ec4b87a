#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// No units.
struct AdamWOptions {
  double lr = 1e-3;            ///< learning rate, finite, >= 0
  double beta1 = 0.9;          ///< in [0, 1): how much of the gradient's mean is kept
  double beta2 = 0.999;        ///< in [0, 1): how much of its mean square is kept
  double eps = 1e-8;           ///< finite, >= 0: added to the root
  double weight_decay = 0.01;  ///< finite, >= 0
};

/// One step of Adam with decoupled weight decay, in place.
///
///   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
///   w <- w - lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay w)
///
/// The decay takes the old w and does not go through m and v, where it would be normalised away.
///
/// @param param  w: float, any strides, every element with a place of its own
/// @param grad   g: the shape and dtype of param
/// @param m, v   of the same shape and dtype, contiguous; zeros before the first step
/// @param step   t, counted from 1
/// @throws ShapeError, std::invalid_argument; then nothing was written
/// Source  Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2 with eta = 1
///         and the decay times lr
void adamw_step(Tensor param, const Tensor& grad, Tensor m, Tensor v, std::int64_t step,
                const AdamWOptions& options = {});

/// @throws std::invalid_argument that names `op` if an option is out of its range
void check_options(const char* op, const AdamWOptions& options);

}  // namespace gradwalk
