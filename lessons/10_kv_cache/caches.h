#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/kv_cache.h"

namespace gradwalk::lesson_10 {

/// A cache of one layer, 2 heads of 32 float32 numbers: 512 bytes a token.
inline constexpr std::int64_t kSmallCacheBytes = 512;
/// That cache after `tokens` tokens came one by one. kPreallocated has room for all of them from
/// the start, the others for none.
nn::KvCache small_cache(nn::CacheGrowth growth, std::int64_t tokens);

/// Whether keys and values are arrays of their own in each layer, with the positions of a head side
/// by side and one head behind the other.
bool is_kept_by_layer_and_head();

/// A language model as published: what decides the size of its cache.
struct PublishedModel {
  std::string name;
  double parameters;
  std::int64_t layers, heads, kv_heads, head_dim;
  std::int64_t context;  ///< tokens that it can read
};
/// Source  Radford et al. 2019 (GPT-2), Touvron et al. 2023 (LLaMA 2), Dubey et al. 2024
/// (Llama 3.1)
const std::vector<PublishedModel>& published_models();

/// A real cache for that model.
nn::KvCache make_cache(const PublishedModel& model, std::int64_t batch, std::int64_t tokens,
                       DType dtype = DType::kFloat32);

/// With 16-bit numbers: half of a float32 cache for one token.
double bytes_per_token(const PublishedModel& model);

}  // namespace gradwalk::lesson_10
