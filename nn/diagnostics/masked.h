#pragma once

#include <vector>

#include "tensor/tensor.h"

/// What measures with a mask share.
namespace gradwalk::nn {

/// A tensor as an error names it.
struct NamedTensor {
  const char* name;
  const Tensor& value;
};

/// A bool mask at the shape of what it chooses from.
/// @throws std::invalid_argument that names `op` for undefined tensors, values that are not float
/// and a mask that is not bool; ShapeError unless the mask broadcasts to exactly values' shape
Tensor stretched_mask(const char* op, const NamedTensor& values, const NamedTensor& mask);

/// The elements of `values` where the mask is true, in row-major order. @throws as stretched_mask
std::vector<double> chosen(const char* op, const NamedTensor& values, const NamedTensor& mask);

}  // namespace gradwalk::nn
