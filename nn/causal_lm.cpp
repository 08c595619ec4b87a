#include "nn/causal_lm.h"

#include <fmt/format.h>

#include <stdexcept>

#include "autograd/elementwise.h"
#include "autograd/linear.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

const CausalLmOptions& checked(const CausalLmOptions& o) {
  if (o.vocab_size < 1 || o.d_model < 1 || o.num_layers < 0 || o.max_positions < 0) {
    throw_argument_error(
        "CausalLm", "vocab_size, d_model >= 1 and num_layers, max_positions >= 0",
        fmt::format("{}, {}, {} and {}", o.vocab_size, o.d_model, o.num_layers, o.max_positions));
  }
  return o;
}

}  // namespace

CausalLm::CausalLm(const CausalLmOptions& options, const Seed& seed)
    : options_(checked(options)),
      embed_tokens_(options.vocab_size, options.d_model, seed / "embed_tokens", options.embedding),
      norm_(make_norm(options.block.norm, options.d_model, options.block.norm_options)) {
  add_module("embed_tokens", embed_tokens_);
  options_.block.attention.causal = options.causal;
  if (options.max_positions > 0 && !options.block.attention.rope) {
    embed_positions_ = std::make_unique<Embedding>(options.max_positions, options.d_model,
                                                   seed / "embed_positions", options.embedding);
    add_module("embed_positions", *embed_positions_);
  }
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string layer = fmt::format("layers.{}", i);
    layers_.push_back(
        std::make_unique<TransformerBlock>(options.d_model, seed / layer, options_.block));
    add_module(layer, *layers_.back());
  }
  add_module("norm", *norm_);
  if (!options.tie_embeddings) {
    const LinearOptions head{.bias = false,
                             .init = options.lm_head.value_or(options.embedding.init),
                             .dtype = options.embedding.dtype};
    lm_head_ =
        std::make_unique<Linear>(options.d_model, options.vocab_size, seed / "lm_head", head);
    add_module("lm_head", *lm_head_);
  }
}

Variable CausalLm::embed(const Tensor& ids, std::int64_t start) const {
  Variable x = embed_tokens_(ids);  // [B, T, D]
  if (!embed_positions_) return x;
  const std::int64_t end = start + ids.shape()[1];
  if (end > options_.max_positions) {
    throw std::out_of_range(error_text("CausalLm",
                                       fmt::format("at most {} positions", options_.max_positions),
                                       fmt::format("{}", end), {{"ids", ids.shape()}}));
  }
  return x + (*embed_positions_)(arange(start, end));
}

Variable CausalLm::operator()(const Tensor& ids, const CausalLmContext& context) {
  if (ids.ndim() != 2) {
    throw_shape_error("CausalLm", "ids [B, T]", ids.shape().str(), {{"ids", ids.shape()}});
  }
  Variable x = embed(ids, context.cache ? context.cache->length() : 0);
  if (context.traces) context.traces->assign(layers_.size(), {});
  if (context.hidden) context.hidden->assign(1, x);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    AttentionContext attention;
    attention.key_padding_mask = context.key_padding_mask;
    attention.cache = context.cache;
    attention.layer = static_cast<std::int64_t>(i);
    if (context.traces) attention.trace = &(*context.traces)[i];
    x = (*layers_[i])(x, attention);
    if (context.hidden) context.hidden->push_back(x);
  }
  x = (*norm_)(x);
  return linear(x, lm_head_ ? lm_head_->weight() : embed_tokens_.weight());
}

KvCache CausalLm::make_cache(std::int64_t batch, std::int64_t capacity, CacheGrowth growth) const {
  const MultiHeadAttentionOptions& attention = options_.block.attention;
  KvCacheOptions cache;
  cache.num_layers = options_.num_layers;
  cache.batch = batch;
  cache.num_kv_heads = attention.num_kv_heads > 0 ? attention.num_kv_heads : attention.num_heads;
  cache.head_dim =
      attention.head_dim > 0 ? attention.head_dim : options_.d_model / attention.num_heads;
  cache.capacity = capacity;
  cache.growth = growth;
  cache.dtype = options_.embedding.dtype;
  return KvCache(cache);
}

}  // namespace gradwalk::nn
