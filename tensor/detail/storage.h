#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tensor/detail/reference_count.h"

namespace gradwalk {

/// A reference-counted block of memory: this header, then the data, both aligned to 64 bytes.
///
/// The version number rises with every in-place write, through whichever view it was made. Autograd
/// keeps the number beside each saved value and refuses to go back through a value that has changed
/// since.
class alignas(64) Storage {
 public:
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }
  std::int64_t bytes() const { return bytes_; }
  std::uint64_t version() const { return version_; }
  void raise_version() { ++version_; }

 private:
  friend class StoragePtr;
  explicit Storage(std::int64_t bytes) : bytes_(bytes) {}

  ReferenceCount references_;
  std::uint64_t version_ = 0;
  std::int64_t bytes_;
};

/// A counted handle on a Storage. Handles may be copied and dropped in any thread; writing the data
/// is the caller's to order.
class StoragePtr {
 public:
  StoragePtr() = default;
  /// Uninitialised memory from tensor/allocator.h. @throws std::bad_alloc if the system has none
  static StoragePtr allocate(std::int64_t bytes);

  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_) storage_->references_.add();
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_ && storage_->references_.drop()) release();
  }

  Storage* get() const { return storage_; }
  /// No other handle counts this storage.
  bool unique() const { return storage_ && storage_->references_.is_one(); }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  void release();

  Storage* storage_ = nullptr;
};

}  // namespace gradwalk
