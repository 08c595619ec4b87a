#include "nn/training/gpt.h"

#include <cmath>

#include "tensor/inplace.h"

namespace gradwalk::nn {

CausalLmOptions gpt_options(const GptOptions& options) {
  const LinearOptions linear{.bias = true, .init = {InitScheme::kNormal, 0.02}};
  CausalLmOptions o;
  o.vocab_size = options.vocab_size;
  o.d_model = options.d_model;
  o.num_layers = options.num_layers;
  o.max_positions = options.max_positions;
  o.embedding = {.init = linear.init};
  o.block.attention.num_heads = options.num_heads;
  o.block.attention.linear = linear;
  o.block.feed_forward = {
      .kind = FeedForwardKind::kGelu, .gelu = GeluForm::kTanh, .linear = linear};
  o.block.dropout = options.dropout;
  return o;
}

std::unique_ptr<CausalLm> make_gpt(const GptOptions& options, const Seed& seed) {
  auto model = std::make_unique<CausalLm>(gpt_options(options), seed);
  const double less = 1 / std::sqrt(2.0 * static_cast<double>(options.num_layers));
  for (const auto& [name, parameter] : model->named_parameters()) {
    if (name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight")) {
      mul_into(parameter.value(), less);
    }
  }
  return model;
}

}  // namespace gradwalk::nn
