#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace gradwalk::nn {

/// A file that appears whole or not at all: bytes go to `PATH.tmp` in the same folder, and commit
/// brings them to the disk and renames. Until then, and whenever the process dies, the old file is
/// there as it was; the next writer takes over what was left behind.
class AtomicFile {
 public:
  /// @throws std::runtime_error that names the file and the reason; one is that another writer is
  /// at it
  explicit AtomicFile(const std::filesystem::path& path);
  /// Without a commit the bytes are thrown away.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// The file, then its name in the folder, are on the disk when this returns.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_, temporary_;
  int file_ = -1;
};

}  // namespace gradwalk::nn
