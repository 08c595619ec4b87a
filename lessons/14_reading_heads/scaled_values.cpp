#include "lessons/14_reading_heads/scaled_values.h"

#include "lessons/tasks/by_width.h"
#include "nn/attention.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/head_contribution.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layer_norm.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

constexpr std::int64_t kWidth = 64, kHeads = 8, kLoudHeadDim = kWidth / kHeads, kTokens = 32;

}  // namespace

ScaledValues scaled_values(const nn::Seed& seed, Generator tokens, double factor, bool undone) {
  const NoGrad no_grad;
  const nn::MultiHeadAttention layer(
      kWidth, seed, {.num_heads = kHeads, .linear = {.bias = false, .init = tasks::kByWidth}});
  const Tensor x = normal({1, kTokens, kWidth}, tokens);
  const nn::StateDict weights = layer.state_dict();
  Tensor o_weight;
  for (const auto& [name, weight] : weights) {
    if (name == "v_proj.weight") mul_into(slice(weight, 0, 0, kLoudHeadDim), factor);
    if (name != "o_proj.weight") continue;
    o_weight = weight;
    if (undone) mul_into(slice(weight, 1, 0, kLoudHeadDim), 1 / factor);
  }
  nn::AttentionTrace trace;
  const Tensor y = layer(x, {.trace = &trace}).value();
  const Tensor values = mean(nn::length(select(trace.value.value(), 0, 0)), 1);  // [8]
  const auto normed = [](const Tensor& t) { return layer_norm(t); };
  return {.share = nn::output_share(nn::head_contributions(trace.head_outputs.value(), o_weight)),
          .output = select(y, 0, 0),
          .value_ratio = values.at({0}) / mean(slice(values, 0, 1, kHeads)).item(),
          .output_ratio = mean(nn::length(y) / nn::length(x)).item(),
          .kept = mean(nn::cosine(normed(x + y), normed(x))).item()};
}

}  // namespace gradwalk::lesson_14
