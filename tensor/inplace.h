#pragma once

#include "tensor/tensor.h"

namespace gradwalk {

/// In-place writes: the only ops that change a tensor. Each writes through x's storage, so every
/// view of it sees the change, and raises the storage's version, so that autograd notices. x is a
/// handle and passed by value.
///
/// int64 wraps around, and a number beside it must be whole. `from` broadcasts to x's shape and has
/// x's dtype; it may be a view of the same storage: the old values are read.
///
/// @throws ShapeError if `from` does not broadcast to x, or if x is an expanded view in which one
///         element stands at several places; std::invalid_argument for another dtype. On an error x
///         is unchanged.

/// x = value
void fill(Tensor x, double value);
/// x = from
void copy_into(Tensor x, const Tensor& from);
/// x = x + alpha * from
void add_into(Tensor x, const Tensor& from, double alpha = 1);
void add_into(Tensor x, double value);
/// x = x * from
void mul_into(Tensor x, const Tensor& from);
void mul_into(Tensor x, double factor);

}  // namespace gradwalk
