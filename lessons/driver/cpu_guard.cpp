// A CPU that lacks the instructions this build was compiled for gets one line and exit code 2
// instead of an illegal instruction somewhere. This file alone is compiled for the architecture's
// baseline, and its check runs before every other constructor. It calls nothing of the library:
// even a small function there may use what the CPU lacks.

#if defined(__x86_64__)

#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "tensor/arch.h"

namespace gradwalk {
namespace {

bool needs(CpuFeature feature) {
  return (kRequiredCpuFeatures >> static_cast<int>(feature) & 1) != 0;
}

[[noreturn]] void refuse(const char* lacking) {
  char line[160] = "gradwalk: this build needs ";
  std::strcat(line, lacking);
  std::strcat(line,
              ", which this CPU lacks; build it again here, or with "
              "-DGRADWALK_ARCH=x86-64-v2\n");
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, std::strlen(line));
  _exit(2);
}

// The oldest extension comes first: it says most about the CPU. `__builtin_cpu_supports` takes only
// a literal, which is why this is no table.
__attribute__((constructor(101))) void check_cpu() {
  __builtin_cpu_init();
  if (needs(CpuFeature::kSse3) && !__builtin_cpu_supports("sse3")) refuse("SSE3");
  if (needs(CpuFeature::kSsse3) && !__builtin_cpu_supports("ssse3")) refuse("SSSE3");
  if (needs(CpuFeature::kSse41) && !__builtin_cpu_supports("sse4.1")) refuse("SSE4.1");
  if (needs(CpuFeature::kSse42) && !__builtin_cpu_supports("sse4.2")) refuse("SSE4.2");
  if (needs(CpuFeature::kPopcnt) && !__builtin_cpu_supports("popcnt")) refuse("POPCNT");
  if (needs(CpuFeature::kAes) && !__builtin_cpu_supports("aes")) refuse("AES");
  if (needs(CpuFeature::kPclmul) && !__builtin_cpu_supports("pclmul")) refuse("PCLMULQDQ");
  if (needs(CpuFeature::kAvx) && !__builtin_cpu_supports("avx")) refuse("AVX");
  if (needs(CpuFeature::kFma) && !__builtin_cpu_supports("fma")) refuse("FMA");
  if (needs(CpuFeature::kBmi) && !__builtin_cpu_supports("bmi")) refuse("BMI1");
  if (needs(CpuFeature::kBmi2) && !__builtin_cpu_supports("bmi2")) refuse("BMI2");
  if (needs(CpuFeature::kAvx2) && !__builtin_cpu_supports("avx2")) refuse("AVX2");
  if (needs(CpuFeature::kAvx512f) && !__builtin_cpu_supports("avx512f")) refuse("AVX-512F");
  if (needs(CpuFeature::kAvx512cd) && !__builtin_cpu_supports("avx512cd")) refuse("AVX-512CD");
  if (needs(CpuFeature::kAvx512bw) && !__builtin_cpu_supports("avx512bw")) refuse("AVX-512BW");
  if (needs(CpuFeature::kAvx512dq) && !__builtin_cpu_supports("avx512dq")) refuse("AVX-512DQ");
  if (needs(CpuFeature::kAvx512vl) && !__builtin_cpu_supports("avx512vl")) refuse("AVX-512VL");
  if (needs(CpuFeature::kAvx512ifma) && !__builtin_cpu_supports("avx512ifma"))
    refuse("AVX-512-IFMA");
  if (needs(CpuFeature::kAvx512vbmi) && !__builtin_cpu_supports("avx512vbmi"))
    refuse("AVX-512-VBMI");
  if (needs(CpuFeature::kAvx512vbmi2) && !__builtin_cpu_supports("avx512vbmi2"))
    refuse("AVX-512-VBMI2");
  if (needs(CpuFeature::kAvx512vnni) && !__builtin_cpu_supports("avx512vnni"))
    refuse("AVX-512-VNNI");
  if (needs(CpuFeature::kAvx512bitalg) && !__builtin_cpu_supports("avx512bitalg"))
    refuse("AVX-512-BITALG");
  if (needs(CpuFeature::kAvx512vpopcntdq) && !__builtin_cpu_supports("avx512vpopcntdq"))
    refuse("AVX-512-VPOPCNTDQ");
  if (needs(CpuFeature::kVpclmulqdq) && !__builtin_cpu_supports("vpclmulqdq")) refuse("VPCLMULQDQ");
  if (needs(CpuFeature::kGfni) && !__builtin_cpu_supports("gfni")) refuse("GFNI");
  if (needs(CpuFeature::kAvx512bf16) && !__builtin_cpu_supports("avx512bf16"))
    refuse("AVX-512-BF16");
#if !defined(__clang__) && __GNUC__ >= 12  // other compilers do not know these
  if (needs(CpuFeature::kF16c) && !__builtin_cpu_supports("f16c")) refuse("F16C");
  if (needs(CpuFeature::kMovbe) && !__builtin_cpu_supports("movbe")) refuse("MOVBE");
  if (needs(CpuFeature::kLzcnt) && !__builtin_cpu_supports("lzcnt")) refuse("LZCNT");
  if (needs(CpuFeature::kVaes) && !__builtin_cpu_supports("vaes")) refuse("VAES");
  if (needs(CpuFeature::kAvxVnni) && !__builtin_cpu_supports("avxvnni")) refuse("AVX-VNNI");
  if (needs(CpuFeature::kAvx512fp16) && !__builtin_cpu_supports("avx512fp16"))
    refuse("AVX-512-FP16");
#endif
}

}  // namespace
}  // namespace gradwalk

#endif
