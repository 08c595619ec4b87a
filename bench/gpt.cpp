#include "bench/gpt.h"

#include "autograd/activation.h"
#include "autograd/attention.h"
#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/embedding.h"
#include "autograd/layer_norm.h"
#include "autograd/layout.h"
#include "autograd/linear.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

namespace gradwalk::bench {

const std::vector<GptConfig>& gpt_configs() {
  static const std::vector<GptConfig> configs{
      {"toy", 16, 1, 1, 8, 4, 20},
      {"lesson", 64, 2, 4, 64, 16, 64},
      {"nano", 384, 6, 6, 256, 4, 65},
      {"gpt2-124m", 768, 12, 12, 64, 1, 50257},
  };
  return configs;
}

double gpt_forward_flops(const GptConfig& config) {
  const auto d = static_cast<double>(config.d_model);
  const auto layers = static_cast<double>(config.num_layers);
  const auto seq_len = static_cast<double>(config.seq_len);
  const auto tokens = static_cast<double>(config.batch) * seq_len;
  const double weights = 12 * layers * d * d + d * static_cast<double>(config.vocab_size);
  return tokens * (2 * weights + 2 * layers * seq_len * d);
}

const GptOps& gpt_ops() {
  static const GptOps ops{
      embedding,
      add,
      [](const Variable& x, const Variable& gamma, const Variable& beta) {
        return layer_norm(x, gamma, beta);
      },
      linear,
      [](const Variable& query, const Variable& key, const Variable& value) {
        return attention(query, key, value, {.causal = true});
      },
      [](const Variable& x) { return gelu(x, GeluForm::kTanh); },
      [](const Variable& logits, const Tensor& targets) { return cross_entropy(logits, targets); },
  };
  return ops;
}

GptBatch gpt_batch(const GptConfig& config) {
  Generator generator(/*seed=*/2, "batch");
  const auto draw = [&] {
    Tensor ids("gpt_batch", {config.batch, config.seq_len}, DType::kInt64);
    auto* id = ids.mutable_data<std::int64_t>();
    for (std::int64_t i = 0; i < ids.numel(); ++i) id[i] = generator.below(config.vocab_size);
    return ids;
  };
  Tensor ids = draw();
  return {std::move(ids), draw()};
}

Variable Gpt::add_parameter(Tensor value) {
  parameters_.push_back(parameter(std::move(value)));
  return parameters_.back();
}

Gpt::Pair Gpt::add_linear(std::int64_t in, std::int64_t out) {
  Variable weight = add_parameter(normal({out, in}, generator_) * 0.02);
  return {weight, add_parameter(zeros({out}))};
}

Gpt::Pair Gpt::add_norm() {
  Variable gamma = add_parameter(ones({config_.d_model}));
  return {gamma, add_parameter(zeros({config_.d_model}))};
}

Gpt::Gpt(const GptConfig& config) : config_(config), generator_(/*seed=*/1, "gpt") {
  const std::int64_t d = config.d_model;
  wte_ = add_parameter(normal({config.vocab_size, d}, generator_) * 0.02);
  wpe_ = add_parameter(normal({config.seq_len, d}, generator_) * 0.02);
  for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
    Block block;
    block.norm1 = add_norm();
    block.query = add_linear(d, d);
    block.key = add_linear(d, d);
    block.value = add_linear(d, d);
    block.projection = add_linear(d, d);
    block.norm2 = add_norm();
    block.mlp_in = add_linear(d, 4 * d);
    block.mlp_out = add_linear(4 * d, d);
    blocks_.push_back(std::move(block));
  }
  last_norm_ = add_norm();
}

Variable Gpt::loss(const GptBatch& batch, const GptOps& ops) const {
  const Shape model{config_.batch, config_.seq_len, config_.d_model};
  const Shape heads{config_.batch, config_.seq_len, config_.num_heads,
                    config_.d_model / config_.num_heads};
  const auto apply = [&ops](const Variable& x, const Pair& layer) {
    return ops.linear(x, layer.weight, layer.bias);
  };
  const auto norm = [&ops](const Variable& x, const Pair& layer) {
    return ops.layer_norm(x, layer.weight, layer.bias);
  };
  const auto by_head = [&](const Variable& x) {
    return permute(reshape(x, heads), {0, 2, 1, 3});  // [B, H, T, Dh]
  };

  Variable x = ops.add(ops.embedding(batch.ids, wte_), wpe_);  // [B, T, D]
  for (const Block& block : blocks_) {
    const Variable h = norm(x, block.norm1);
    const Variable attended =
        ops.attention(by_head(apply(h, block.query)), by_head(apply(h, block.key)),
                      by_head(apply(h, block.value)));
    x = ops.add(x, apply(reshape(permute(attended, {0, 2, 1, 3}), model), block.projection));
    const Variable wide = ops.gelu(apply(norm(x, block.norm2), block.mlp_in));  // [B, T, 4 D]
    x = ops.add(x, apply(wide, block.mlp_out));
  }
  return ops.cross_entropy(ops.linear(norm(x, last_norm_), wte_, {}), batch.targets);
}

std::vector<Tensor> gpt_grads(const Gpt& model) {
  constexpr std::size_t kInBlock = 16;
  constexpr std::size_t kKeyBias = 5;
  const std::vector<Variable>& parameters = model.parameters();
  std::vector<Tensor> grads;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool in_block = i >= 2 && i + 2 < parameters.size();
    if (in_block && (i - 2) % kInBlock == kKeyBias) continue;
    grads.push_back(parameters[i].grad());
  }
  return grads;
}

AdamWOptions gpt_adamw_options() {
  return {.lr = 3e-4, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .weight_decay = 0.1};
}

nn::AdamW gpt_optimizer(const Gpt& model) {
  return nn::AdamW(model.parameters(), gpt_adamw_options());
}

void gpt_step(const Gpt& model, nn::AdamW& optimizer, const GptBatch& batch) {
  optimizer.zero_grad();
  backward(model.loss(batch));
  optimizer.step();
}

}  // namespace gradwalk::bench
