#include "lessons/course/text/file_content.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "nn/files/atomic_file.h"

namespace gradwalk::course {

std::string file_content(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.bad()) {
    throw std::runtime_error(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return std::move(text).str();
}

void write_result(const std::filesystem::path& path, std::string_view content) {
  std::error_code error;
  if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw std::runtime_error(
        fmt::format("{}: cannot make the folder: {}", path.string(), error.message()));
  }
  nn::write_file_atomically(path, content);
}

}  // namespace gradwalk::course
