#include "tensor/arch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace gradwalk {
namespace {

using testing::AnyOf;
using testing::Eq;

bool required(CpuFeature feature) {
  return (kRequiredCpuFeatures >> static_cast<int>(feature) & 1) != 0;
}

// Highway 1.0.3 wants AES and PCLMUL for SSE4 and up, and x86-64-v3 and -v4 have neither: without
// HWY_DISABLE_PCLMUL_AES such a build fell back to SSSE3, a quarter of the speed, without a word.
// So the target is held against the macros of the same compiler call.
TEST(Arch, TargetIsTheBestThatTheCompilerMayUse) {
  const std::string target = simd_target();
  std::cout << "SIMD target " << target << ", " << simd_lanes_f32() << " lanes of float32\n";
  RecordProperty("simd_target", target);
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  EXPECT_THAT(target, AnyOf(Eq("AVX3"), Eq("AVX3_DL"), Eq("AVX3_ZEN4"), Eq("AVX3_SPR")));
  EXPECT_EQ(simd_lanes_f32(), 16);
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__) && defined(__F16C__)
  EXPECT_EQ(target, "AVX2");
  EXPECT_EQ(simd_lanes_f32(), 8);
#elif defined(__SSE4_2__)
  EXPECT_EQ(target, "SSE4");
  EXPECT_EQ(simd_lanes_f32(), 4);
#elif defined(__ARM_NEON) && !defined(__ARM_FEATURE_SVE)
  EXPECT_THAT(target, AnyOf(Eq("NEON"), Eq("NEON_WITHOUT_AES")));
  EXPECT_EQ(simd_lanes_f32(), 4);
#else
  EXPECT_NE(target, "Unknown");
  EXPECT_GE(simd_lanes_f32(), 1);
#endif
}

TEST(Arch, RequiredFeaturesAreThoseOfTheCompilerCall) {
#if defined(__x86_64__)
  const auto by_macro = [](CpuFeature feature, bool macro) {
    EXPECT_EQ(required(feature), macro) << "feature " << static_cast<int>(feature);
  };
#ifdef __AVX2__
  by_macro(CpuFeature::kAvx2, true);
#else
  by_macro(CpuFeature::kAvx2, false);
#endif
#ifdef __AVX512VL__
  by_macro(CpuFeature::kAvx512vl, true);
#else
  by_macro(CpuFeature::kAvx512vl, false);
#endif
#ifdef __SSE4_2__
  by_macro(CpuFeature::kSse42, true);
#else
  by_macro(CpuFeature::kSse42, false);
#endif
#else
  EXPECT_EQ(kRequiredCpuFeatures, 0U);
#endif
}

}  // namespace
}  // namespace gradwalk
