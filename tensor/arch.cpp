#include "tensor/arch.h"

#include <hwy/highway.h>

namespace gradwalk {
namespace {

[[maybe_unused]] constexpr std::uint64_t bit(CpuFeature feature) {
  return std::uint64_t{1} << static_cast<int>(feature);
}

// The compiler defines one macro for each extension that -march allows it to use.

// Up to SSE 4.2.
constexpr std::uint64_t required_sse_features() {
  std::uint64_t required = 0;
#ifdef __SSE3__
  required |= bit(CpuFeature::kSse3);
#endif
#ifdef __SSSE3__
  required |= bit(CpuFeature::kSsse3);
#endif
#ifdef __SSE4_1__
  required |= bit(CpuFeature::kSse41);
#endif
#ifdef __SSE4_2__
  required |= bit(CpuFeature::kSse42);
#endif
#ifdef __POPCNT__
  required |= bit(CpuFeature::kPopcnt);
#endif
#ifdef __AES__
  required |= bit(CpuFeature::kAes);
#endif
#ifdef __PCLMUL__
  required |= bit(CpuFeature::kPclmul);
#endif
  return required;
}

// What came with AVX and AVX2.
constexpr std::uint64_t required_avx_features() {
  std::uint64_t required = 0;
#ifdef __AVX__
  required |= bit(CpuFeature::kAvx);
#endif
#ifdef __F16C__
  required |= bit(CpuFeature::kF16c);
#endif
#ifdef __FMA__
  required |= bit(CpuFeature::kFma);
#endif
#ifdef __MOVBE__
  required |= bit(CpuFeature::kMovbe);
#endif
#ifdef __LZCNT__
  required |= bit(CpuFeature::kLzcnt);
#endif
#ifdef __BMI__
  required |= bit(CpuFeature::kBmi);
#endif
#ifdef __BMI2__
  required |= bit(CpuFeature::kBmi2);
#endif
#ifdef __AVX2__
  required |= bit(CpuFeature::kAvx2);
#endif
  return required;
}

// AVX-512, and what came after it.
constexpr std::uint64_t required_avx512_features() {
  std::uint64_t required = 0;
#ifdef __AVX512F__
  required |= bit(CpuFeature::kAvx512f);
#endif
#ifdef __AVX512CD__
  required |= bit(CpuFeature::kAvx512cd);
#endif
#ifdef __AVX512BW__
  required |= bit(CpuFeature::kAvx512bw);
#endif
#ifdef __AVX512DQ__
  required |= bit(CpuFeature::kAvx512dq);
#endif
#ifdef __AVX512VL__
  required |= bit(CpuFeature::kAvx512vl);
#endif
#ifdef __AVX512IFMA__
  required |= bit(CpuFeature::kAvx512ifma);
#endif
#ifdef __AVX512VBMI__
  required |= bit(CpuFeature::kAvx512vbmi);
#endif
#ifdef __AVX512VBMI2__
  required |= bit(CpuFeature::kAvx512vbmi2);
#endif
#ifdef __AVX512VNNI__
  required |= bit(CpuFeature::kAvx512vnni);
#endif
#ifdef __AVX512BITALG__
  required |= bit(CpuFeature::kAvx512bitalg);
#endif
#ifdef __AVX512VPOPCNTDQ__
  required |= bit(CpuFeature::kAvx512vpopcntdq);
#endif
#ifdef __VAES__
  required |= bit(CpuFeature::kVaes);
#endif
#ifdef __VPCLMULQDQ__
  required |= bit(CpuFeature::kVpclmulqdq);
#endif
#ifdef __GFNI__
  required |= bit(CpuFeature::kGfni);
#endif
#ifdef __AVX512BF16__
  required |= bit(CpuFeature::kAvx512bf16);
#endif
#ifdef __AVXVNNI__
  required |= bit(CpuFeature::kAvxVnni);
#endif
#ifdef __AVX512FP16__
  required |= bit(CpuFeature::kAvx512fp16);
#endif
  return required;
}

}  // namespace

constinit const std::uint64_t kRequiredCpuFeatures =
    required_sse_features() | required_avx_features() | required_avx512_features();

const char* simd_target() { return hwy::TargetName(HWY_TARGET); }

int simd_lanes_f32() {
  namespace hn = hwy::HWY_NAMESPACE;
  return static_cast<int>(hn::Lanes(hn::ScalableTag<float>()));
}

}  // namespace gradwalk
