#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace gradwalk::nn {

/// A file that appears whole or not at all: bytes go to `PATH.tmp` in the same folder, and commit
/// brings them to the disk and renames. Until then, and whenever the process dies, the old file is
/// there as it was; the next writer takes over what was left behind. A link is followed; a device
/// or a pipe, which cannot be replaced, is written to as it is.
class AtomicFile {
 public:
  /// @param op  the function that errors name
  /// @throws std::runtime_error that names the file and the reason; one is that another writer is
  /// at it
  explicit AtomicFile(const std::filesystem::path& path, const char* op = "AtomicFile");
  /// Without a commit the bytes are thrown away.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// The file, then its name in the folder, are on the disk when this returns.
  void commit();

 private:
  void open_device();
  void open_temporary();
  [[noreturn]] void fail(const char* what) const;

  const char* op_;
  std::filesystem::path path_, temporary_;  // the second is empty for a device
  int file_ = -1;
};

/// A whole file at once. @throws std::runtime_error as AtomicFile
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           const char* op = "write_file_atomically");
/// The same, but nothing is written where the file has this content already.
void keep_file(const std::filesystem::path& path, std::string_view content,
               const char* op = "keep_file");

}  // namespace gradwalk::nn
