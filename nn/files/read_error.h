#pragma once

#include <string>
#include <string_view>

namespace gradwalk::nn {

/// Where a fault was found: the function that the user called, whatever read the file on its
/// behalf, and the file.
struct Where {
  const char* op;
  std::string file;
};

/// "op: expected E, got G; in FILE" as a std::runtime_error.
[[noreturn]] void throw_read_error(const Where& where, std::string_view expected,
                                   std::string_view got);

}  // namespace gradwalk::nn
