#include "lessons/10_kv_cache/caches.h"

#include <algorithm>

#include "tensor/create.h"

namespace gradwalk::lesson_10 {

nn::KvCache small_cache(nn::CacheGrowth growth, std::int64_t tokens) {
  nn::KvCache cache({.num_kv_heads = 2,
                     .head_dim = 32,
                     .capacity = growth == nn::CacheGrowth::kPreallocated ? tokens : 0,
                     .growth = growth});
  const Tensor one = zeros({1, 2, 1, 32});
  for (std::int64_t t = 0; t < tokens; ++t) cache.append(0, one, one);
  return cache;
}

bool is_kept_by_layer_and_head() {
  nn::KvCache cache({.num_layers = 2, .num_kv_heads = 3, .head_dim = 4, .capacity = 5});
  const Tensor one = zeros({1, 3, 1, 4});
  std::vector<const float*> arrays;
  bool side_by_side = true;
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    cache.append(layer, one, one);
    const nn::KvCache::Entry entry = cache.append(layer, one, one);
    for (const Tensor& x : {entry.keys, entry.values}) {
      arrays.push_back(x.data<float>());
      side_by_side = side_by_side && x.strides()[1] == 5 * 4 && x.strides()[2] == 4;
    }
  }
  std::sort(arrays.begin(), arrays.end());
  for (std::size_t i = 0; i + 1 < arrays.size(); ++i) {
    side_by_side = side_by_side && arrays[i + 1] - arrays[i] >= 3 * 5 * 4;  // no overlap
  }
  return side_by_side;
}

const std::vector<PublishedModel>& published_models() {
  static const std::vector<PublishedModel> all = {
      {"GPT-2, 124M", 124439808, 12, 12, 12, 64, 1024},
      {"LLaMA 2, 6.7B", 6738415616, 32, 32, 32, 128, 4096},
      {"Llama 3.1, 8.0B", 8030261248, 32, 32, 8, 128, 131072},
      {"Llama 3.1, 70.6B", 70553706496, 80, 64, 8, 128, 131072},
  };
  return all;
}

nn::KvCache make_cache(const PublishedModel& model, std::int64_t batch, std::int64_t tokens,
                       DType dtype) {
  return nn::KvCache({.num_layers = model.layers,
                      .batch = batch,
                      .num_kv_heads = model.kv_heads,
                      .head_dim = model.head_dim,
                      .capacity = tokens,
                      .dtype = dtype});
}

double bytes_per_token(const PublishedModel& model) {
  return static_cast<double>(make_cache(model, 1, 1).bytes_allocated()) / 2;
}

}  // namespace gradwalk::lesson_10
