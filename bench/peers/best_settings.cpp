#include "bench/peers/best_settings.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace gradwalk::bench {
namespace {

constexpr const char* kMark = "GRADWALK_BENCH_SETTINGS";

}  // namespace

void restart_with_best_settings(char** argv) {
  if (std::getenv(kMark) != nullptr) {
    unsetenv(kMark);  // programs that this one starts choose for themselves
    return;
  }
  setenv(kMark, "1", 1);
  // A preset kernel may be half as fast as the best one.
  unsetenv("OPENBLAS_CORETYPE");
  unsetenv("OPENBLAS_L2_SIZE");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) {
    // 0.3.21 takes a CPU that is newer than itself for one of 2004, and is five times slower then.
    const bool has_bf16 = __builtin_cpu_supports("avx512bf16") != 0;
    setenv("OPENBLAS_CORETYPE", has_bf16 ? "Cooperlake" : "SkylakeX", 1);
    setenv("ATEN_CPU_CAPABILITY", "avx512", 0);  // libtorch prefers its AVX2 kernels
  }
#endif
  // Huge pages for malloc too, as our allocator has them.
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
#ifdef GRADWALK_OPENBLAS_OPENMP
  // With threads of its own OpenBLAS fights with the spinning ones of OpenMP.
  std::string folders = GRADWALK_OPENBLAS_OPENMP;
  if (const char* before = std::getenv("LD_LIBRARY_PATH")) folders += std::string(":") + before;
  setenv("LD_LIBRARY_PATH", folders.c_str(), 1);
#endif
  execv("/proc/self/exe", argv);
  // Where that cannot be, peers run as they are.
}

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace gradwalk::bench
