#pragma once

#include <cstdint>

namespace gradwalk {

/// The SIMD target that the kernels are compiled for, as Highway names it: "AVX3" or "AVX3_DL"
/// (AVX-512), "AVX2", "SSE4", "NEON" ... It is chosen once, by the -march of the build
/// (GRADWALK_ARCH). "SCALAR" and "EMU128" mean that it found no vector instructions to use.
const char* simd_target();

/// How many float32 numbers one vector of that target holds: 16 for AVX-512, 8 for AVX2, 4 for SSE4
/// and NEON, 1 for SCALAR.
int simd_lanes_f32();

/// Instruction set extensions of x86-64 beyond its baseline, the oldest first.
enum class CpuFeature {
  kSse3,
  kSsse3,
  kSse41,
  kSse42,
  kPopcnt,
  kAes,
  kPclmul,
  kAvx,
  kF16c,
  kFma,
  kMovbe,
  kLzcnt,
  kBmi,
  kBmi2,
  kAvx2,
  kAvx512f,
  kAvx512cd,
  kAvx512bw,
  kAvx512dq,
  kAvx512vl,
  kAvx512ifma,
  kAvx512vbmi,
  kAvx512vbmi2,
  kAvx512vnni,
  kAvx512bitalg,
  kAvx512vpopcntdq,
  kVaes,
  kVpclmulqdq,
  kGfni,
  kAvx512bf16,
  kAvxVnni,
  kAvx512fp16,
};

/// What this build needs of the CPU: bit `1 << feature` is set for each extension that the compiler
/// was allowed to use. 0 on other architectures.
///
/// It is constant data, so that lessons/driver/cpu_guard.cpp can read it before anything else runs:
/// on a CPU that lacks one of these, any function of this library may hold an instruction that the
/// CPU does not know.
extern const std::uint64_t kRequiredCpuFeatures;

}  // namespace gradwalk
