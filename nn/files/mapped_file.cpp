#include "nn/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

[[noreturn]] void refuse(const char* op, const std::filesystem::path& path, const char* got) {
  throw std::runtime_error(error_text(op, "a file to read", got) +
                           fmt::format("; {}", path.string()));
}

// Maps an open file; nullptr and errno if that fails.
void* map(int file, std::size_t size) {
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  return address == MAP_FAILED ? nullptr : address;
}

}  // namespace

MappedFile::MappedFile(const char* op, const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe that nobody writes to would never open.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) refuse(op, path, std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  const std::size_t size = regular ? static_cast<std::size_t>(status.st_size) : 0;
  void* address = size > 0 ? map(file, size) : nullptr;  // nothing cannot be mapped
  const int reason = errno;
  ::close(file);  // the map stays
  if (!regular)
    refuse(op, path, known ? "something that is no regular file" : std::strerror(reason));
  if (size > 0 && address == nullptr) refuse(op, path, std::strerror(reason));
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace gradwalk::nn
