#pragma once

#include <string>

namespace gradwalk::course {

/// Where a number was measured.
struct Environment {
  std::string version;
  std::string compiler;
  std::string flags;
  std::string cpu;
  int threads = 1;
  std::string build_id;  ///< NT_GNU_BUILD_ID of the executable, in hex; "unknown" if it has none
  std::string simd;      ///< as tensor/arch.h names it
};

/// Of this process, now.
Environment this_environment();

}  // namespace gradwalk::course
