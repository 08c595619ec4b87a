#include "bench/decode.h"

#include "nn/sampling.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::bench {
namespace {

Tensor random_ids(std::int64_t count, std::int64_t vocab_size) {
  Generator generator(/*seed=*/2, "text");
  Tensor ids("random_ids", {1, count}, DType::kInt64);
  auto* id = ids.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) id[i] = generator.below(vocab_size);
  return ids;
}

constexpr int kTime = 1;  // the axis of ids and logits

Tensor last_logits(const Variable& logits) {
  return select(select(logits.value(), /*axis=*/0, 0), /*axis=*/0, -1);
}

}  // namespace

const std::vector<DecodeConfig>& decode_configs() {
  static const std::vector<DecodeConfig> configs{
      {"stories15m", 288, 768, 6, 6, 6, 32000},
      {"stories15m-gqa2", 288, 768, 6, 6, 2, 32000},
      {"small-vocab-gqa2", 512, 1376, 8, 8, 2, 4096},
  };
  return configs;
}

double decode_bytes(const DecodeConfig& config) {
  const std::int64_t d = config.d_model;
  const std::int64_t key_width = d / config.num_heads * config.num_kv_heads;
  const std::int64_t in_layer = 2 * d * d + 2 * d * key_width + 3 * d * config.d_hidden;
  const std::int64_t positions = kDecodeStart + kDecodeTokens / 2;
  const std::int64_t numbers =
      config.vocab_size * d + config.num_layers * (in_layer + 2 * key_width * positions);
  return 4 * static_cast<double>(numbers);
}

nn::CausalLmOptions decode_options(const DecodeConfig& config) {
  const nn::LinearOptions linear{.bias = false, .init = {nn::InitScheme::kNormal, 0.02}};
  nn::CausalLmOptions options;
  options.vocab_size = config.vocab_size;
  options.d_model = config.d_model;
  options.num_layers = config.num_layers;
  options.block.attention.num_heads = config.num_heads;
  options.block.attention.num_kv_heads = config.num_kv_heads;
  options.block.attention.rope = RopeOptions{};
  options.block.attention.linear = linear;
  options.block.d_hidden = config.d_hidden;
  options.block.feed_forward = {.kind = nn::FeedForwardKind::kSwiGlu, .linear = linear};
  options.block.norm = nn::NormKind::kRmsNorm;
  return options;
}

Decoding::Decoding(const DecodeConfig& config)
    : model_(decode_options(config), nn::Seed(1)),
      ids_(random_ids(kDecodeStart + kDecodeTokens, config.vocab_size)),
      cache_(model_.make_cache(/*batch=*/1, kDecodeStart + kDecodeTokens)) {
  const NoGrad no_grad;
  model_(slice(ids_, kTime, 0, kDecodeStart), {.cache = &cache_});
}

std::vector<Tensor> Decoding::decode() {
  const NoGrad no_grad;
  std::vector<Tensor> all;
  for (std::int64_t i = kDecodeStart; i < kDecodeStart + kDecodeTokens; ++i) {
    all.push_back(last_logits(model_(slice(ids_, kTime, i, i + 1), {.cache = &cache_})));
    nn::pick(nn::candidates(all.back(), {.temperature = 0}), /*u=*/0);
  }
  cache_.truncate(kDecodeStart);
  return all;
}

std::vector<Tensor> Decoding::decode_without_cache(std::int64_t steps) {
  const NoGrad no_grad;
  std::vector<Tensor> all;
  for (std::int64_t i = kDecodeStart; i < kDecodeStart + steps; ++i) {
    all.push_back(last_logits(model_(slice(ids_, kTime, 0, i + 1))));
  }
  return all;
}

}  // namespace gradwalk::bench
