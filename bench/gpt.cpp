#include "bench/gpt.h"

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "nn/training/gpt.h"
#include "tensor/random.h"

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

nn::CausalLmOptions gpt_options(const GptConfig& config) {
  return nn::gpt_options({.vocab_size = config.vocab_size,
                          .d_model = config.d_model,
                          .num_layers = config.num_layers,
                          .num_heads = config.num_heads,
                          .max_positions = config.seq_len});
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

GptSetup::GptSetup(const GptConfig& config)
    : model(gpt_options(config), nn::Seed(1)), batch(gpt_batch(config)) {}

Variable gpt_loss(nn::CausalLm& model, const GptBatch& batch) {
  return cross_entropy(model(batch.ids), batch.targets);
}

std::vector<Tensor> gpt_grads(const nn::CausalLm& model) {
  std::vector<Tensor> grads;
  for (const nn::NamedParameter& parameter : model.named_parameters()) {
    if (!parameter.name.ends_with("k_proj.bias")) grads.push_back(parameter.variable.grad());
  }
  return grads;
}

AdamWOptions gpt_adamw_options() {
  return {.lr = 3e-4, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .weight_decay = 0.1};
}

nn::AdamW gpt_optimizer(const nn::CausalLm& model) {
  return nn::AdamW(model.parameters(), gpt_adamw_options());
}

void gpt_step(nn::CausalLm& model, nn::AdamW& optimizer, const GptBatch& batch) {
  optimizer.zero_grad();
  backward(gpt_loss(model, batch));
  optimizer.step();
}

}  // namespace gradwalk::bench
