#include "lessons/12_grouped_heads/variants.h"

#include <fmt/format.h>

#include <map>

#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/product_count.h"
#include "lessons/course/engine/stopwatch.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/reference/attention.h"

namespace gradwalk::lesson_12 {
namespace {

constexpr std::int64_t kLayerWidth = 512, kLayerHeads = 8;

std::int64_t kv_heads_of(const nn::MultiHeadAttention& layer) {
  const nn::MultiHeadAttentionOptions& o = layer.options();
  return o.num_kv_heads > 0 ? o.num_kv_heads : o.num_heads;
}

std::int64_t head_dim_of(const nn::MultiHeadAttention& layer, std::int64_t d_model) {
  const nn::MultiHeadAttentionOptions& o = layer.options();
  return o.head_dim > 0 ? o.head_dim : d_model / o.num_heads;
}

nn::KvCache empty_cache(const nn::MultiHeadAttention& layer, std::int64_t d_model,
                        std::int64_t words) {
  return nn::KvCache({.num_kv_heads = kv_heads_of(layer),
                      .head_dim = head_dim_of(layer, d_model),
                      .capacity = words});
}

// One key and value, drawn, for all the words.
void fill_up(nn::KvCache& cache, std::int64_t words, Generator generator) {
  const nn::KvCacheOptions& o = cache.options();
  const Tensor one = normal({1, o.num_kv_heads, 1, o.head_dim}, generator);
  const Tensor all = expand(one, {1, o.num_kv_heads, words, o.head_dim});
  cache.append(0, all, all);
}

}  // namespace

std::string variant_name(std::int64_t heads, std::int64_t kv_heads) {
  if (kv_heads == heads) return "MHA";
  return kv_heads == 1 ? "MQA" : fmt::format("GQA, {} kv", kv_heads);
}

double parameter_bytes(const nn::Module& module) {
  double bytes = 0;
  for (const auto& [name, weight] : module.state_dict()) {
    bytes += static_cast<double>(weight.numel() * size_of(weight.dtype()));
  }
  return bytes;
}

std::unique_ptr<nn::MultiHeadAttention> with_copies(const nn::MultiHeadAttention& layer,
                                                    std::int64_t d_model) {
  nn::MultiHeadAttentionOptions options = layer.options();
  const std::int64_t kv_heads = kv_heads_of(layer), sharers = options.num_heads / kv_heads;
  const std::int64_t head_dim = head_dim_of(layer, d_model);
  options.num_kv_heads = 0;
  nn::StateDict state = layer.state_dict();
  for (auto& [name, weight] : state) {
    if (!name.starts_with("k_proj") && !name.starts_with("v_proj")) continue;
    const Tensor each = reshape(weight, {kv_heads, 1, head_dim, d_model});
    weight = reshape(contiguous(expand(each, {kv_heads, sharers, head_dim, d_model})),
                     {kv_heads * sharers * head_dim, d_model});
  }
  auto copies = std::make_unique<nn::MultiHeadAttention>(d_model, nn::Seed(0), options);
  copies->load_state_dict(state);
  return copies;
}

WordCost cost_of_a_word(const nn::MultiHeadAttention& layer, std::int64_t d_model) {
  const NoGrad no_grad;
  const auto behind = [&](std::int64_t words) {
    nn::KvCache cache = empty_cache(layer, d_model, words + 1);
    fill_up(cache, words, Generator(0, "cost of a word"));
    const course::ProductCount products;
    layer(Variable(zeros({1, 1, d_model})), {.cache = &cache});
    return static_cast<double>(products.multiply_adds());
  };
  const double few = behind(128), many = behind(1024);
  const double each = (many - few) / (1024 - 128);
  return {.projections = few - 129 * each, .each_word = each};  // it sees itself as well
}

nn::KvCache cache_after(const nn::MultiHeadAttention& layer, std::int64_t d_model,
                        std::int64_t words) {
  const NoGrad no_grad;
  nn::KvCache cache = empty_cache(layer, d_model, words);
  for (std::int64_t t = 0; t < words; ++t) {
    layer(Variable(zeros({1, 1, d_model})), {.cache = &cache});
  }
  return cache;
}

Differences differences(const nn::Module& a, const nn::Module& b) {
  std::map<std::string, Shape> others;
  for (const auto& [name, weight] : b.state_dict()) others.emplace(name, weight.shape());
  Differences found;
  for (const auto& [name, weight] : a.state_dict()) {
    const auto other = others.find(name);
    if (other == others.end()) {
      found.names.push_back(name);
      continue;
    }
    if (other->second == weight.shape()) {
      ++found.same;
    } else {
      found.shapes.push_back(name);
    }
    others.erase(other);
  }
  for (const auto& [name, shape] : others) found.names.push_back(name);
  return found;
}

BlockReader::BlockReader(std::int64_t kv_heads, std::uint64_t seed)
    : kv_heads_(kv_heads),
      seed_(seed),
      block_(kLayerWidth, nn::Seed(seed) / "grouped_heads/block",
             {.attention = {.num_heads = kLayerHeads, .num_kv_heads = kv_heads, .causal = true}}) {}

BlockStep BlockReader::read(std::int64_t words) {
  const NoGrad no_grad;
  nn::KvCache cache(
      {.num_kv_heads = kv_heads_, .head_dim = kLayerWidth / kLayerHeads, .capacity = words + 1});
  fill_up(cache, words, Generator(seed_, "grouped_heads/cache"));
  const auto cache_bytes = static_cast<double>(cache.bytes_used());
  Generator newest(seed_, "grouped_heads/newest word");
  const Variable x(normal({1, 1, kLayerWidth}, newest));
  const course::Times times = course::time_runs(9, [&] {
    block_(x, {.cache = &cache});
    cache.truncate(words);
  });
  return {parameter_bytes(block_), cache_bytes, 1e3 * times.median};
}

LoopsAndKernel loops_and_kernel(std::int64_t words, std::uint64_t seed) {
  Generator generator(seed, "grouped_heads/loops");
  const auto drawn = [&](std::int64_t count) {
    return normal({1, kLayerHeads, count, kLayerWidth / kLayerHeads}, generator);
  };
  const Tensor query = drawn(1), key = drawn(words), value = drawn(words);
  Tensor by_loops, by_kernel;
  const double loops =
      course::time_runs(3, [&] { by_loops = reference::attention(query, key, value, {}); }).median;
  const double kernel =
      course::time_runs(9, [&] { by_kernel = attention(query, key, value, {}); }).median;
  return {loops / kernel, course::distance(by_kernel, by_loops)};
}

}  // namespace gradwalk::lesson_12
