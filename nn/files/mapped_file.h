#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace gradwalk::nn {

/// A file's bytes in memory without reading them: pages come when they are touched, and several
/// processes share them. The file must not be cut while it is mapped; one that is replaced by
/// rename, as AtomicFile does, stays whole.
class MappedFile {
 public:
  /// @param op  the function that errors name
  /// @throws std::runtime_error that names the file and the reason, also for a folder or a pipe
  MappedFile(const char* op, const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace gradwalk::nn
