#include "nn/attention.h"

#include <fmt/format.h>

#include <stdexcept>

#include "autograd/attention.h"
#include "autograd/layout.h"
#include "autograd/rope.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

[[noreturn]] void refuse(std::string_view expected, const std::string& got) {
  throw_argument_error("MultiHeadAttention", expected, got);
}

void check(std::int64_t d_model, MultiHeadAttentionOptions& o) {
  if (o.num_kv_heads == 0) o.num_kv_heads = o.num_heads;
  if (d_model < 1 || o.num_heads < 1 || o.num_kv_heads < 1 || o.head_dim < 0) {
    refuse("d_model, num_heads, num_kv_heads >= 1 and head_dim >= 0",
           fmt::format("{}, {}, {} and {}", d_model, o.num_heads, o.num_kv_heads, o.head_dim));
  }
  if (o.num_heads % o.num_kv_heads != 0) {
    refuse("num_heads % num_kv_heads == 0", fmt::format("{} and {}", o.num_heads, o.num_kv_heads));
  }
  if (o.tie_q_k && o.num_heads != o.num_kv_heads) {
    refuse("num_heads == num_kv_heads where q and k are tied",
           fmt::format("{} and {}", o.num_heads, o.num_kv_heads));
  }
  if (o.head_dim == 0) {
    if (d_model % o.num_heads != 0) {
      refuse("d_model % num_heads == 0", fmt::format("{} and {}", d_model, o.num_heads));
    }
    o.head_dim = d_model / o.num_heads;
  }
  if (o.rope && o.head_dim % 2 != 0)
    refuse("an even head_dim for rope", fmt::format("{}", o.head_dim));
}

// [B, H, T, Dh] as [B, T, H Dh].
Variable side_by_side(const Variable& heads) {
  const Shape& shape = heads.shape();
  return reshape(permute(heads, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t d_model, const Seed& seed,
                                       const MultiHeadAttentionOptions& options)
    : d_model_(d_model), options_(options) {
  check(d_model, options_);
  const std::int64_t query_width = options_.num_heads * options_.head_dim;
  const std::int64_t key_width = options_.num_kv_heads * options_.head_dim;
  q_proj_ = projection("q_proj", options.has_q_proj, d_model, query_width, seed);
  if (!options.tie_q_k) {
    k_proj_ = projection("k_proj", options.has_k_proj, d_model, key_width, seed);
  }
  v_proj_ = projection("v_proj", options.has_v_proj, d_model, key_width, seed);
  o_proj_ = projection("o_proj", options.has_o_proj, query_width, d_model, seed);
}

std::unique_ptr<Linear> MultiHeadAttention::projection(const char* name, bool has, std::int64_t in,
                                                       std::int64_t out, const Seed& seed) {
  if (!has) {
    if (in != out)
      refuse(fmt::format("widths that are equal where {} is left out", name),
             fmt::format("{} and {}", in, out));
    return nullptr;
  }
  auto layer = std::make_unique<Linear>(in, out, seed / name, options_.linear);
  add_module(name, *layer);
  return layer;
}

Variable MultiHeadAttention::heads(const Variable& x, const std::unique_ptr<Linear>& projection,
                                   std::int64_t num_heads) const {
  const Variable projected = projection ? (*projection)(x) : x;
  const Shape split{x.shape()[0], x.shape()[1], num_heads, options_.head_dim};
  return permute(reshape(projected, split), {0, 2, 1, 3});  // [B, H, T, Dh]
}

void MultiHeadAttention::check_input(const char* name, const Variable& x) const {
  if (x.shape().ndim() != 3 || x.shape()[2] != d_model_) {
    throw_shape_error("MultiHeadAttention", fmt::format("{} [B, T, {}]", name, d_model_),
                      x.shape().str(), {{name, x.shape()}});
  }
}

Variable MultiHeadAttention::operator()(const Variable& x, const AttentionContext& context) const {
  check_input("x", x);
  return (*this)(x, x, x, context);
}

Variable MultiHeadAttention::operator()(const Variable& x_q, const Variable& x_k,
                                        const Variable& x_v,
                                        const AttentionContext& context) const {
  check_input("x_q", x_q);
  check_input("x_k", x_k);
  check_input("x_v", x_v);
  if (context.cache && grad_enabled()) {
    throw std::logic_error(
        "MultiHeadAttention: expected NoGrad beside a cache, got gradients that are recorded and "
        "would stop at it");
  }
  Variable query = heads(x_q, q_proj_, options_.num_heads);
  Variable key = heads(x_k, options_.tie_q_k ? q_proj_ : k_proj_, options_.num_kv_heads);
  Variable value = heads(x_v, v_proj_, options_.num_kv_heads);
  if (options_.rope) {
    const std::int64_t start = context.cache ? context.cache->length(context.layer) : 0;
    query = rope(query, start, *options_.rope);
    key = rope(key, start, *options_.rope);
  }
  if (context.cache) {
    const KvCache::Entry all = context.cache->append(context.layer, key.value(), value.value());
    key = all.keys;
    value = all.values;
  }
  const Variable attended = attend(query, key, value, context);
  const Variable merged = side_by_side(attended);
  return o_proj_ ? (*o_proj_)(merged) : merged;
}

Variable MultiHeadAttention::attend(const Variable& query, const Variable& key,
                                    const Variable& value, const AttentionContext& context) const {
  const AttentionOptions options{.scale = options_.scale,
                                 .causal = options_.causal,
                                 .key_padding_mask = context.key_padding_mask,
                                 .additive_mask = context.additive_mask};
  if (!context.trace) return attention(query, key, value, options);
  const AttentionMap map = attention_map(query, key, options);
  const Variable outputs = weighted_values(map.weights, value);
  *context.trace = {query, key, value, map.products, map.scores, map.masked, map.weights, outputs};
  return outputs;
}

}  // namespace gradwalk::nn
