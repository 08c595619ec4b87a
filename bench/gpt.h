#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"
#include "nn/optim/adamw.h"
#include "tensor/random.h"

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

/// The ops that the model is made of, so that the same model runs on the naive loops.
struct GptOps {
  Variable (*embedding)(const Tensor& ids, const Variable& weight);
  Variable (*add)(const Variable& a, const Variable& b);
  Variable (*layer_norm)(const Variable& x, const Variable& gamma, const Variable& beta);
  Variable (*linear)(const Variable& x, const Variable& weight, const Variable& bias);
  Variable (*attention)(const Variable& query, const Variable& key, const Variable& value);
  Variable (*gelu)(const Variable& x);
  Variable (*cross_entropy)(const Variable& logits, const Tensor& targets);
};
/// Those of autograd/: fused attention, GELU in the tanh form.
const GptOps& gpt_ops();

/// Batch of a training step: int64 [B, T] each, at random.
struct GptBatch {
  Tensor ids, targets;
};
GptBatch gpt_batch(const GptConfig& config);

/// A decoder with learned positions, norms before attention and MLP, biases, no dropout, and the
/// embedding used again as the head. Source  Radford et al. 2019, section 2.3
///
/// Query, key and value have weights of their own.
class Gpt {
 public:
  /// Parameters drawn from normal(0, 0.02), biases 0, norms 1.
  explicit Gpt(const GptConfig& config);

  /// Mean cross-entropy in nats.
  Variable loss(const GptBatch& batch, const GptOps& ops = gpt_ops()) const;
  /// wte, wpe; a block's norm 1 (gamma, beta), query, key, value, projection (each weight, bias),
  /// norm 2, MLP in, MLP out; and so on; the last norm.
  const std::vector<Variable>& parameters() const { return parameters_; }

 private:
  struct Pair {
    Variable weight, bias;
  };
  struct Block {
    Pair norm1, query, key, value, projection, norm2, mlp_in, mlp_out;
  };
  Variable add_parameter(Tensor value);
  Pair add_linear(std::int64_t in, std::int64_t out);
  Pair add_norm();

  GptConfig config_;
  Generator generator_;
  std::vector<Variable> parameters_;
  Variable wte_, wpe_;
  std::vector<Block> blocks_;
  Pair last_norm_;
};

/// The gradients that a backward pass left, but for those of the keys' biases: softmax takes no
/// notice of a number added to all scores of a row, so they are 0 and show rounding alone.
std::vector<Tensor> gpt_grads(const Gpt& model);

/// AdamW over all of a model's parameters: lr 3e-4, betas 0.9 and 0.95, decay 0.1.
AdamWOptions gpt_adamw_options();
nn::AdamW gpt_optimizer(const Gpt& model);
/// Forward, backward and update on one batch.
void gpt_step(const Gpt& model, nn::AdamW& optimizer, const GptBatch& batch);

}  // namespace gradwalk::bench
