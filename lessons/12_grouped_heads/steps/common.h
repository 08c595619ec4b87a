#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/create.h"

/// What several steps of lesson 12 use.
namespace gradwalk::lesson_12 {

inline constexpr std::int64_t kWidth = 768, kHeads = 12, kHeadDim = kWidth / kHeads;  // GPT-2's

inline const std::vector<std::int64_t> kKvHeads = {12, 4, 2, 1};

inline nn::MultiHeadAttention layer_of(const course::Step& step, std::int64_t heads,
                                       std::int64_t kv_heads) {
  return nn::MultiHeadAttention(
      kWidth, nn::Seed(step.seed()) / "grouped_heads/layer",
      {.num_heads = heads, .num_kv_heads = kv_heads, .head_dim = kHeadDim, .causal = true});
}

}  // namespace gradwalk::lesson_12
