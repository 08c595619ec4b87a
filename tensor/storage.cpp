#include "tensor/storage.h"

#include <new>

namespace gradwalk {
namespace {

std::atomic<std::int64_t> live_storages{0};
std::atomic<std::int64_t> live_data_bytes{0};

constexpr std::align_val_t kAlignment{alignof(Storage)};

}  // namespace

std::int64_t Storage::live_count() { return live_storages.load(std::memory_order_relaxed); }
std::int64_t Storage::live_bytes() { return live_data_bytes.load(std::memory_order_relaxed); }

StoragePtr StoragePtr::allocate(std::int64_t bytes) {
  void* block = ::operator new(sizeof(Storage) + static_cast<std::size_t>(bytes), kAlignment);
  StoragePtr pointer;
  pointer.storage_ = new (block) Storage(bytes);
  live_storages.fetch_add(1, std::memory_order_relaxed);
  live_data_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return pointer;
}

void StoragePtr::release() {
  live_storages.fetch_sub(1, std::memory_order_relaxed);
  live_data_bytes.fetch_sub(storage_->bytes_, std::memory_order_relaxed);
  storage_->~Storage();
  ::operator delete(storage_, kAlignment);
}

}  // namespace gradwalk
