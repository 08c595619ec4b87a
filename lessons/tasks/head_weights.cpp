#include "lessons/tasks/head_weights.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

void check(const char* what, std::int64_t at, std::int64_t count) {
  if (at < 0 || at >= count) {
    throw std::out_of_range(
        fmt::format("head_weights: expected {} in [0, {}), got {}", what, count, at));
  }
}

Tensor projection(const nn::Module& model, const std::string& attention, const char* which) {
  const std::string name = fmt::format("{}.{}.weight", attention, which);
  for (const auto& [own, weight] : model.state_dict()) {
    if (own == name) return weight;
  }
  throw std::invalid_argument(fmt::format("head_weights: the model has no {}", name));
}

std::string attention_of(const nn::CausalLm& model, std::int64_t layer) {
  check("a layer", layer, model.options().num_layers);
  return fmt::format("layers.{}.self_attn", layer);
}

}  // namespace

HeadWeights head_weights(const nn::Module& model, const std::string& attention, std::int64_t heads,
                         std::int64_t head) {
  check("a head", head, heads);
  const auto part = [&](const char* which, int axis) {
    const Tensor all = projection(model, attention, which);
    const std::int64_t width = all.shape()[axis] / heads;
    return slice(all, axis, head * width, (head + 1) * width);
  };
  return {part("q_proj", 0), part("k_proj", 0), part("v_proj", 0), part("o_proj", 1)};
}

HeadWeights head_weights(const nn::CausalLm& model, std::int64_t layer, std::int64_t head) {
  const nn::MultiHeadAttentionOptions& attention = model.options().block.attention;
  const std::int64_t heads = attention.num_heads, key_heads = attention.num_kv_heads;
  if (key_heads != 0 && key_heads != heads) {
    throw std::invalid_argument(
        fmt::format("head_weights: expected keys for each head, got {} heads and {} of keys", heads,
                    key_heads));
  }
  return head_weights(model, attention_of(model, layer), heads, head);
}

Tensor output_weight(const nn::CausalLm& model, std::int64_t layer) {
  return projection(model, attention_of(model, layer), "o_proj");
}

}  // namespace gradwalk::tasks
