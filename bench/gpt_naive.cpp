#include "bench/gpt_naive.h"

#include <map>

#include "autograd/backward.h"
#include "autograd/layout.h"
#include "autograd/record.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/activation.h"
#include "tensor/reference/adamw.h"
#include "tensor/reference/attention.h"
#include "tensor/reference/cross_entropy.h"
#include "tensor/reference/elementwise.h"
#include "tensor/reference/embedding.h"
#include "tensor/reference/layer_norm.h"
#include "tensor/reference/linear.h"
#include "tensor/reference/matmul.h"
#include "tensor/reference/reduce.h"

namespace gradwalk::bench {
namespace {

constexpr double kEps = 1e-5;
const AttentionOptions kCausal{.causal = true};

Variable naive_embedding(const Tensor& ids, const Variable& weight) {
  return record("embedding", reference::embedding(ids, weight.value()), {weight},
                [ids, rows = weight.shape()[0]](const Tensor& dy) -> Grads {
                  return {reference::embedding_backward(ids, rows, dy)};
                });
}

Variable naive_add(const Variable& a, const Variable& b) {
  return record("add", reference::add(a.value(), b.value()), {a, b},
                [shape = b.shape()](const Tensor& dy) -> Grads {
                  if (shape == dy.shape()) return {dy, dy};
                  return {dy, reference::sum(dy, {0}, /*keepdims=*/false)};  // the positions
                });
}

Variable naive_layer_norm(const Variable& x, const Variable& gamma, const Variable& beta) {
  Tensor y = reference::layer_norm(x.value(), gamma.value(), beta.value(), kEps);
  return record("layer_norm", std::move(y), {x, gamma, beta},
                [x = x.value(), gamma = gamma.value()](const Tensor& dy) -> Grads {
                  LayerNormGrads grads = reference::layer_norm_backward(x, gamma, kEps, dy);
                  return {grads.dx, grads.dgamma, grads.dbeta};
                });
}

Tensor rows_of(const Tensor& x) { return reshape(x, {-1, x.shape()[-1]}); }

Variable naive_linear(const Variable& x, const Variable& weight, const Variable& bias) {
  Tensor y = reference::linear(x.value(), weight.value(), bias.defined() ? bias.value() : Tensor());
  const auto grads = [x = x.value(), weight = weight.value()](const Tensor& dy) {
    return std::pair{reference::matmul(dy, weight),
                     reference::matmul(transpose(rows_of(dy)), rows_of(x))};
  };
  if (!bias.defined()) {
    return record("linear", std::move(y), {x, weight}, [grads](const Tensor& dy) -> Grads {
      const auto [dx, dweight] = grads(dy);
      return {dx, dweight};
    });
  }
  return record("linear", std::move(y), {x, weight, bias}, [grads](const Tensor& dy) -> Grads {
    const auto [dx, dweight] = grads(dy);
    return {dx, dweight, reference::sum(rows_of(dy), {0}, /*keepdims=*/false)};
  });
}

Variable naive_attention(const Variable& query, const Variable& key, const Variable& value) {
  Tensor y = reference::attention(query.value(), key.value(), value.value(), kCausal);
  return record("attention", std::move(y), {query, key, value},
                [q = query.value(), k = key.value(), v = value.value()](const Tensor& dy) -> Grads {
                  AttentionGrads grads = reference::attention_backward(q, k, v, kCausal, dy);
                  return {grads.dquery, grads.dkey, grads.dvalue};
                });
}

Variable naive_gelu(const Variable& x) {
  return record("gelu", reference::gelu(x.value(), GeluForm::kTanh), {x},
                [x = x.value()](const Tensor& dy) -> Grads {
                  return {reference::gelu_backward(x, dy, GeluForm::kTanh)};
                });
}

Variable naive_cross_entropy(const Variable& logits, const Tensor& targets) {
  return record("cross_entropy", reference::cross_entropy(logits.value(), targets), {logits},
                [logits = logits.value(), targets](const Tensor& dy) -> Grads {
                  return {reference::cross_entropy_backward(logits, targets, dy)};
                });
}

// The parameters of one part of a model, by their names in it.
class Part {
 public:
  using All = std::map<std::string, Variable>;

  Part(const All& all, std::string path) : all_(all), path_(std::move(path)) {}
  Part operator/(const std::string& name) const { return {all_, path_ + name + "."}; }
  const Variable& operator[](const char* name) const { return all_.at(path_ + name); }

  Variable linear(const Variable& x) const {
    return naive_linear(x, (*this)["weight"], (*this)["bias"]);
  }
  Variable layer_norm(const Variable& x) const {
    return naive_layer_norm(x, (*this)["weight"], (*this)["bias"]);
  }

 private:
  const All& all_;
  std::string path_;
};

Variable attend(const Part& part, const Variable& x, std::int64_t num_heads) {
  const Shape& shape = x.shape();
  const Shape heads{shape[0], shape[1], num_heads, shape[2] / num_heads};
  const auto by_head = [&](const char* name) {
    return permute(reshape((part / name).linear(x), heads), {0, 2, 1, 3});  // [B, H, T, Dh]
  };
  const Variable y = naive_attention(by_head("q_proj"), by_head("k_proj"), by_head("v_proj"));
  return (part / "o_proj").linear(reshape(permute(y, {0, 2, 1, 3}), shape));
}

}  // namespace

Variable naive_gpt_loss(const nn::CausalLm& model, const GptBatch& batch) {
  Part::All parameters;
  for (const nn::NamedParameter& one : model.named_parameters()) {
    parameters.emplace(one.name, one.variable);
  }
  const Part all(parameters, "");
  const Variable& table = all["embed_tokens.weight"];
  Variable x = naive_add(naive_embedding(batch.ids, table), all["embed_positions.weight"]);
  for (std::int64_t i = 0; i < model.options().num_layers; ++i) {
    const Part layer = all / "layers" / std::to_string(i);
    const Variable h = (layer / "input_layernorm").layer_norm(x);
    const std::int64_t num_heads = model.options().block.attention.num_heads;
    x = naive_add(x, attend(layer / "self_attn", h, num_heads));
    const Part mlp = layer / "mlp";
    const Variable y = (layer / "post_attention_layernorm").layer_norm(x);
    x = naive_add(x, (mlp / "down_proj").linear(naive_gelu((mlp / "up_proj").linear(y))));
  }
  const Variable logits = naive_linear((all / "norm").layer_norm(x), table, {});
  return naive_cross_entropy(logits, batch.targets);
}

NaiveGptOptimizer::NaiveGptOptimizer(const nn::CausalLm& model) : parameters_(model.parameters()) {
  for (const Variable& parameter : parameters_) {
    m_.push_back(zeros(parameter.shape()));
    v_.push_back(zeros(parameter.shape()));
  }
}

void NaiveGptOptimizer::step(const nn::CausalLm& model, const GptBatch& batch) {
  ++steps_;
  for (const Variable& parameter : parameters_) parameter.zero_grad();
  backward(naive_gpt_loss(model, batch));
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const Variable& parameter = parameters_[i];
    const reference::AdamWResult next = reference::adamw_step(
        parameter.value(), parameter.grad(), m_[i], v_[i], steps_, gpt_adamw_options());
    copy_into(parameter.value(), next.param);
    m_[i] = next.m;
    v_[i] = next.v;
  }
}

}  // namespace gradwalk::bench
