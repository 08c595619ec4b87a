#pragma once

#include "bench/gpt.h"

namespace gradwalk::bench {

/// What gpt_loss computes, by the loops of tensor/reference/, forward and backward.
Variable naive_gpt_loss(const nn::CausalLm& model, const GptBatch& batch);

/// The optimizer of gpt_optimizer in the same way, and with it a step.
class NaiveGptOptimizer {
 public:
  explicit NaiveGptOptimizer(const nn::CausalLm& model);
  void step(const nn::CausalLm& model, const GptBatch& batch);

 private:
  std::vector<Variable> parameters_;
  std::vector<Tensor> m_, v_;
  std::int64_t steps_ = 0;
};

}  // namespace gradwalk::bench
