#include "tensor/detail/storage.h"

#include <new>

#include "tensor/allocator.h"

namespace gradwalk {

StoragePtr StoragePtr::allocate(std::int64_t bytes) {
  StoragePtr pointer;
  pointer.storage_ =
      new (allocate_block(sizeof(Storage) + static_cast<std::size_t>(bytes))) Storage(bytes);
  return pointer;
}

void StoragePtr::release() {
  const std::size_t bytes = sizeof(Storage) + static_cast<std::size_t>(storage_->bytes_);
  storage_->~Storage();
  free_block(storage_, bytes);
}

}  // namespace gradwalk
