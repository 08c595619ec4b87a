#pragma once

#include <string>
#include <vector>

#include "nn/causal_lm.h"
#include "nn/optim/adamw.h"

namespace gradwalk::bench {

/// Sizes of a GPT-2 style model and of one batch.
struct GptConfig {
  std::string name;
  std::int64_t d_model, num_layers, num_heads, seq_len, batch, vocab_size;
};

/// toy, lesson, nano, gpt2-124m: the sizes of the peers' own programs.
const std::vector<GptConfig>& gpt_configs();

/// Flops of a forward pass over one batch, of attention the half that causality leaves. Backward
/// has twice as many.
double gpt_forward_flops(const GptConfig& config);

/// A decoder with learned positions, norms before attention and MLP, biases, GELU in the tanh form,
/// no dropout, and the embedding used again as the head. Source  Radford et al. 2019, section 2.3
nn::CausalLmOptions gpt_options(const GptConfig& config);

/// Batch of a training step: int64 [B, T] each, at random.
struct GptBatch {
  Tensor ids, targets;
};
GptBatch gpt_batch(const GptConfig& config);

/// A model at the start, matrices drawn from normal(0, 0.02), and its batch: always the same ones.
struct GptSetup {
  explicit GptSetup(const GptConfig& config);
  nn::CausalLm model;
  GptBatch batch;
};

/// Mean cross-entropy in nats.
Variable gpt_loss(nn::CausalLm& model, const GptBatch& batch);

/// The gradients that a backward pass left, but for those of the keys' biases: softmax takes no
/// notice of a number added to all scores of a row, so they are 0 and show rounding alone.
std::vector<Tensor> gpt_grads(const nn::CausalLm& model);

/// AdamW over all of a model's parameters: lr 3e-4, betas 0.9 and 0.95, decay 0.1.
AdamWOptions gpt_adamw_options();
nn::AdamW gpt_optimizer(const nn::CausalLm& model);
/// Forward, backward and update on one batch.
void gpt_step(nn::CausalLm& model, nn::AdamW& optimizer, const GptBatch& batch);

}  // namespace gradwalk::bench
