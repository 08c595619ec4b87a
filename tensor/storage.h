#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

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

  /// Storages alive now, in all threads.
  static std::int64_t live_count();
  /// Bytes of data in them.
  static std::int64_t live_bytes();

 private:
  friend class StoragePtr;
  explicit Storage(std::int64_t bytes) : bytes_(bytes) {}

  std::atomic<std::int64_t> references_{1};
  std::uint64_t version_ = 0;
  std::int64_t bytes_;
};

/// A counted handle on a Storage. Handles may be copied and dropped in any thread; writing the data
/// is the caller's to order.
class StoragePtr {
 public:
  StoragePtr() = default;
  /// Uninitialised memory. @throws std::bad_alloc if the system has none
  static StoragePtr allocate(std::int64_t bytes);

  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_) storage_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_ && storage_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) release();
  }

  Storage* get() const { return storage_; }
  /// No other handle counts this storage.
  bool unique() const {
    return storage_ && storage_->references_.load(std::memory_order_acquire) == 1;
  }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  void release();

  Storage* storage_ = nullptr;
};

}  // namespace gradwalk
