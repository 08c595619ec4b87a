#pragma once

#include <cstddef>
#include <cstdint>

namespace gradwalk {

/// Where all memory of tensors, of working space and of the graph comes from.
///
/// Blocks are kept when they are freed and handed out again, since here a fresh page costs more
/// than most kernels: the system is asked only for large slabs, 2 MiB aligned and advised to be
/// huge pages, and blocks are cut from them. What a block has behind its first 64 bytes, a tensor's
/// header, is rounded up to one of four steps between powers of two, so at most a fifth of it is
/// unused. Each thread has a cache of free blocks, used without a lock; a shared pool stands behind
/// the caches, and takes them over when a thread ends.
///
/// In builds with AddressSanitizer each block comes from the system and goes back at once, so that
/// the sanitizer sees each use after free. ThreadSanitizer and all others use the caches.

/// At least `bytes` bytes, aligned to 64. @throws std::bad_alloc if the system has none
void* allocate_block(std::size_t bytes);
/// Takes back what allocate_block(bytes) gave, in any thread.
void free_block(void* block, std::size_t bytes) noexcept;

struct MemoryStats {
  std::int64_t system_allocations;  ///< times that the system was asked, since the program started
  std::int64_t system_bytes;        ///< held from it now, free or not
  std::int64_t used_blocks;         ///< handed out now
  std::int64_t used_bytes;          ///< in them, sizes as they were rounded up
  std::int64_t peak_used_bytes;     ///< most of them at one time since `reset_peak_memory`
};

/// Of all threads together. The peak is exact where one thread allocates, and a bound from above
/// where several do.
MemoryStats memory_stats();
/// Sets peak_used_bytes to what is used now.
void reset_peak_memory();
/// Gives back to the system every slab of which nothing is in use. Blocks that other threads keep
/// in their caches count as used.
void release_free_memory();

}  // namespace gradwalk
