#pragma once

#include "tensor/tensor.h"

/// An operand that may be missing, such as a bias: an undefined tensor.
namespace gradwalk {

/// The elements, or null where there is no tensor.
template <class T>
const T* data_or_null(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

inline Tensor contiguous_or_none(const Tensor& x) { return x.defined() ? contiguous(x) : x; }

}  // namespace gradwalk
