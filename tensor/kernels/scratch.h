#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/detail/storage.h"

namespace gradwalk::kernels {

/// Uninitialised working memory of a kernel, aligned to 64 bytes, from the allocator that tensors
/// use: taken again and again it costs no system call.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t count)
      : storage_(StoragePtr::allocate(count * static_cast<std::int64_t>(sizeof(T)))) {}

  T* data() { return reinterpret_cast<T*>(storage_->data()); }
  const T* data() const { return reinterpret_cast<const T*>(storage_->data()); }
  T& operator[](std::int64_t i) { return data()[i]; }

 private:
  StoragePtr storage_;
};

}  // namespace gradwalk::kernels
