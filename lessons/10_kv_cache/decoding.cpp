#include "lessons/10_kv_cache/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/product_count.h"
#include "lessons/course/engine/stopwatch.h"
#include "lessons/tasks/grammar.h"
#include "nn/generate.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/reference/activation.h"
#include "tensor/reference/attention.h"
#include "tensor/reference/embedding.h"
#include "tensor/reference/layer_norm.h"
#include "tensor/reference/linear.h"

namespace gradwalk::lesson_10 {
namespace {

std::unique_ptr<nn::CausalLm> with_weights_of(const nn::CausalLm& like,
                                              const nn::CausalLmOptions& options) {
  auto model = std::make_unique<nn::CausalLm>(options, nn::Seed(0));
  model->load_state_dict(like.state_dict());
  return model;
}

// [T, H Dh] as [1, H, T, Dh].
Tensor in_heads(const Tensor& x, std::int64_t heads) {
  return unsqueeze(permute(reshape(x, {x.shape()[0], heads, x.shape()[1] / heads}), {1, 0, 2}), 0);
}

// [1, H, T, Dh] as [T, H Dh].
Tensor side_by_side(const Tensor& heads) {
  const Tensor tokens = contiguous(permute(select(heads, 0, 0), {1, 0, 2}));
  return reshape(tokens, {tokens.shape()[0], tokens.shape()[1] * tokens.shape()[2]});
}

}  // namespace

Tensor words_of(std::span<const std::int64_t> text, std::int64_t count) {
  Tensor words("words_of", {count}, DType::kInt64);
  std::copy_n(text.begin(), count, words.mutable_data<std::int64_t>());
  return words;
}

std::unique_ptr<nn::CausalLm> in_float64(const nn::CausalLm& like) {
  nn::CausalLmOptions options = like.options();
  options.embedding.dtype = DType::kFloat64;
  options.block.attention.linear.dtype = DType::kFloat64;
  options.block.feed_forward.linear.dtype = DType::kFloat64;
  options.block.norm_options.dtype = DType::kFloat64;
  return with_weights_of(like, options);
}

std::unique_ptr<nn::CausalLm> with_mask(const nn::CausalLm& like, bool causal) {
  nn::CausalLmOptions options = like.options();
  options.causal = causal;
  return with_weights_of(like, options);
}

Tensor logits_one_by_one(nn::CausalLm& model, const Tensor& text) {
  const NoGrad no_grad;
  const std::int64_t tokens = text.numel();
  nn::KvCache cache = model.make_cache(/*batch=*/1, tokens);
  std::vector<Tensor> logits;
  for (std::int64_t t = 0; t < tokens; ++t) {
    const Tensor newest = slice(text, 0, t, t + 1);
    logits.push_back(select(model(unsqueeze(newest, 0), {.cache = &cache}).value(), 0, 0));
  }
  return concat(logits, /*axis=*/0);
}

Tensor logits_by_loops(const nn::CausalLm& model, const Tensor& text) {
  std::map<std::string, Tensor> w;
  for (const auto& [name, tensor] : model.state_dict()) w[name] = tensor;
  const nn::CausalLmOptions& o = model.options();
  const auto norm = [&](const std::string& name, const Tensor& x) {
    return reference::layer_norm(x, w.at(name + ".weight"), w.at(name + ".bias"),
                                 o.block.norm_options.eps);
  };
  const auto linear = [&](const std::string& name, const Tensor& x) {
    const auto bias = w.find(name + ".bias");
    return reference::linear(x, w.at(name + ".weight"), bias == w.end() ? Tensor() : bias->second);
  };
  const std::int64_t heads = o.block.attention.num_heads;
  const std::int64_t kv_heads =
      o.block.attention.num_kv_heads > 0 ? o.block.attention.num_kv_heads : heads;
  Tensor x = reference::embedding(text, w.at("embed_tokens.weight")) +
             slice(w.at("embed_positions.weight"), 0, 0, text.numel());
  for (std::int64_t l = 0; l < o.num_layers; ++l) {
    const std::string layer = fmt::format("layers.{}", l);
    const Tensor read = norm(layer + ".input_layernorm", x);
    const Tensor attended = reference::attention(
        in_heads(linear(layer + ".self_attn.q_proj", read), heads),
        in_heads(linear(layer + ".self_attn.k_proj", read), kv_heads),
        in_heads(linear(layer + ".self_attn.v_proj", read), kv_heads), {.causal = o.causal});
    x = x + linear(layer + ".self_attn.o_proj", side_by_side(attended));
    const Tensor hidden =
        linear(layer + ".mlp.up_proj", norm(layer + ".post_attention_layernorm", x));
    x = x + linear(layer + ".mlp.down_proj", reference::gelu(hidden));
  }
  const char* readout = o.tie_embeddings ? "embed_tokens.weight" : "lm_head.weight";
  return reference::linear(norm("norm", x), w.at(readout), {});
}

std::vector<std::vector<double>> moves_of_old_keys(nn::CausalLm& model, const Tensor& text,
                                                   std::int64_t first) {
  const NoGrad no_grad;
  const auto layers = static_cast<std::size_t>(model.options().num_layers);
  std::vector<std::vector<double>> moves(layers);
  std::vector<nn::AttentionTrace> before, now;
  for (std::int64_t length = first; length <= text.numel(); ++length) {
    model(unsqueeze(slice(text, 0, 0, length), 0), {.traces = &now});
    if (length == first) before = now;
    for (std::size_t l = 0; l < layers; ++l) {
      const auto move = [&](Variable nn::AttentionTrace::*side) {
        return course::relative_distance(slice((now[l].*side).value(), 2, 0, first),
                                         (before[l].*side).value());
      };
      moves[l].push_back(
          std::max(move(&nn::AttentionTrace::key), move(&nn::AttentionTrace::value)));
    }
  }
  return moves;
}

Texts write_twice(nn::CausalLm& model, std::span<const std::int64_t> prompt) {
  const std::int64_t words =
      model.options().max_positions - static_cast<std::int64_t>(prompt.size());
  const auto with = nn::generate(model, prompt, {.steps = words});
  const auto without = nn::generate(model, prompt, {.steps = words, .use_cache = false});
  Texts texts{.words = words, .text = tasks::grammar_text(with)};
  for (std::size_t i = 0; i < with.size(); ++i) texts.equal += with[i] == without[i] ? 1 : 0;
  return texts;
}

StepCost cost_of_a_step(nn::CausalLm& model, const Tensor& text, bool cached, bool counted) {
  const NoGrad no_grad;
  const std::int64_t n = text.numel();
  const Tensor all = unsqueeze(text, 0);
  const Tensor newest = slice(all, 1, n - 1, n);
  nn::KvCache cache = model.make_cache(/*batch=*/1, n);
  model(slice(all, 1, 0, n - 1), {.cache = &cache});
  using Maps = std::vector<nn::AttentionTrace>;
  const auto without = [&](Maps* maps) { model(all, {.traces = maps}); };
  const auto with = [&](Maps* maps) {
    if (!cached) return without(maps);
    model(newest, {.cache = &cache, .traces = maps});
    cache.truncate(n - 1);
  };
  StepCost cost;
  if (counted) {
    const auto count = [](const auto& step) {
      Maps maps;
      const course::ProductCount products;
      step(&maps);
      return static_cast<double>(products.multiply_adds());
    };
    cost.with = count(with);
    cost.without = count(without);
  }
  cost.with_ms = 1e3 * course::time_runs(9, [&] { with(nullptr); }).median;
  cost.without_ms = 1e3 * course::time_runs(3, [&] { without(nullptr); }).median;
  return cost;
}

}  // namespace gradwalk::lesson_10
