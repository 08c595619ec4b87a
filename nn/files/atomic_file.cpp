#include "nn/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace gradwalk::nn {
namespace {

// Whether the name still stands for the open file: another writer may have renamed it in between.
bool is_at(int file, const std::filesystem::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path, const char* op) : op_(op), path_(path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    open_device();
    return;
  }
  if (const fs::path target = fs::canonical(path, error); !error) path_ = target;
  temporary_ = path_.string() + ".tmp";
  open_temporary();
}

void AtomicFile::open_device() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) fail("open");
}

void AtomicFile::open_temporary() {
  while (true) {
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) fail("open");
    // One name, so that nothing piles up; the lock keeps a second writer from it, and goes with
    // the process.
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      ::close(file_);
      errno = reason;
      fail(reason == EWOULDBLOCK ? "lock (another writer has it)" : "lock");
    }
    if (is_at(file_, temporary_)) break;
    ::close(file_);
  }
  if (::ftruncate(file_, 0) != 0) {
    const int reason = errno;
    ::close(file_);
    errno = reason;
    fail("empty");
  }
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(file_);
}

void AtomicFile::fail(const char* what) const {
  const std::filesystem::path& open = temporary_.empty() ? path_ : temporary_;
  throw std::runtime_error(fmt::format("{}: cannot {} {} to write {}: {}", op_, what, open.string(),
                                       path_.string(), std::strerror(errno)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // Linux writes less than 2 GiB at a time
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), std::min(bytes.size(), kMost));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (temporary_.empty()) {
    ::close(std::exchange(file_, -1));
    return;
  }
  // Before the rename: after a power cut the new name must not stand for empty blocks.
  if (::fsync(file_) != 0) fail("bring to the disk");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename");
  ::close(file_);
  file_ = -1;
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = handle >= 0 && ::fsync(handle) == 0;
  const int reason = errno;
  if (handle >= 0) ::close(handle);
  errno = reason;
  if (!synced) fail("bring the folder's entry to the disk, after the rename of");
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           const char* op) {
  AtomicFile file(path, op);
  file.write(std::as_bytes(std::span(content)));
  file.commit();
}

void keep_file(const std::filesystem::path& path, std::string_view content, const char* op) {
  std::ifstream file(path, std::ios::binary);
  if (file && std::string(std::istreambuf_iterator<char>(file), {}) == content) return;
  write_file_atomically(path, content, op);
}

}  // namespace gradwalk::nn
