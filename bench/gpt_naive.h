#pragma once

#include "bench/gpt.h"

namespace gradwalk::bench {

/// The model's ops computed by the loops of tensor/reference/, forward and backward.
const GptOps& naive_gpt_ops();

/// The optimizer of gpt_optimizer in the same way, and with it a step.
class NaiveGptOptimizer {
 public:
  explicit NaiveGptOptimizer(const Gpt& model);
  void step(const Gpt& model, const GptBatch& batch);

 private:
  std::vector<Tensor> m_, v_;
  std::int64_t steps_ = 0;
};

}  // namespace gradwalk::bench
