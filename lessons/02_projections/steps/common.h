#pragma once

#include <cstdint>

#include "lessons/02_projections/heads.h"
#include "lessons/course/engine/step.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

/// What several steps of lesson 2 use.
namespace gradwalk::lesson_02 {

inline constexpr std::int64_t kWidth = 768, kHeads = 12, kHeadDim = 64, kTokens = 16;

/// A layer as large models have it, and 16 tokens for it.
struct LargeLayer {
  nn::MultiHeadAttention layer;
  Tensor x;  ///< [16, 768]
};

inline LargeLayer large_layer(course::Step& step) {
  Generator gen = step.generator("large tokens");
  return {.layer = {kWidth, nn::Seed(step.seed()) / "projections/large", plain(kHeads)},
          .x = normal({kTokens, kWidth}, gen)};
}

}  // namespace gradwalk::lesson_02
