#include "lessons/course/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

namespace gradwalk::course {
namespace {

/// Removes the temporary file unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const std::filesystem::path& target) : target_(target.string()) {
    name_ = target_ + ".XXXXXX";
    fd_ = mkstemp(name_.data());
    if (fd_ < 0) fail("cannot create a file beside it");
  }
  ~Temporary() {
    if (fd_ >= 0) close(fd_);
    if (!renamed_ && !name_.empty()) unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot write");
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void replace_target() {
    constexpr mode_t kReadableByAll = 0644;
    if (fchmod(fd_, kReadableByAll) != 0 || fsync(fd_) != 0) fail("cannot write");
    const int fd = fd_;
    fd_ = -1;
    if (close(fd) != 0) fail("cannot write");
    if (rename(name_.c_str(), target_.c_str()) != 0) fail("cannot rename");
    renamed_ = true;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(fmt::format("{}: {}: {}", target_, what, std::strerror(errno)));
  }

  std::string target_;
  std::string name_;
  int fd_ = -1;
  bool renamed_ = false;
};

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  const bool exists = !error;
  if (exists && !std::filesystem::is_regular_file(target)) {
    // A device or a pipe cannot be replaced, and must not be.
    std::ofstream file(target, std::ios::binary);
    file << content << std::flush;
    if (!file) throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
    return;
  }
  Temporary temporary(exists ? target : path);
  temporary.write(content);
  temporary.replace_target();
}

}  // namespace gradwalk::course
