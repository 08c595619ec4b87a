#pragma once

#include <torch/torch.h>

#include "bench/workload.h"

namespace gradwalk::bench {

/// libtorch's view of our tensor, which must outlive it.
inline at::Tensor to_torch(const Tensor& x) {
  const auto type = x.dtype() == DType::kInt64 ? torch::kInt64 : torch::kFloat32;
  void* data = x.dtype() == DType::kInt64
                   ? const_cast<void*>(static_cast<const void*>(x.data<std::int64_t>()))
                   : const_cast<void*>(static_cast<const void*>(x.data<float>()));
  return torch::from_blob(
      data, at::IntArrayRef(x.shape().begin(), static_cast<std::size_t>(x.ndim())),
      at::IntArrayRef(x.strides().data(), static_cast<std::size_t>(x.ndim())), type);
}

/// A copy of our own.
inline Tensor from_torch(const at::Tensor& x) {
  Shape shape;
  for (const std::int64_t size : x.sizes()) shape.push_back(size);
  Tensor copy("from_torch", shape, DType::kFloat32);
  torch::NoGradGuard no_grad;
  torch::from_blob(copy.mutable_data<float>(), x.sizes(), torch::kFloat32).copy_(x);
  return copy;
}

}  // namespace gradwalk::bench
