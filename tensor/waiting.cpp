#include "tensor/waiting.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace gradwalk {
namespace {

// Turns of GNU's loop, a pause each: 5 to 20 us, less than the work for which kernels start a team.
constexpr const char* kTurns = "300";
// Milliseconds of LLVM's runtime.
constexpr const char* kBlockTime = "0";

}  // namespace

void let_waiting_threads_sleep(char** argv) {
  for (const char* name : {"GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_WAIT_POLICY"}) {
    if (std::getenv(name) != nullptr) return;
  }
  std::array<char, 4096> program{};
  const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
  if (length <= 0) return;
  if (setenv("GOMP_SPINCOUNT", kTurns, 0) != 0 || setenv("KMP_BLOCKTIME", kBlockTime, 0) != 0) {
    return;
  }
  execv(program.data(), argv);  // comes back only if it fails: then threads spin as before
}

}  // namespace gradwalk
