#include <cmath>
#include <limits>

#include "bench/peers/torch_ops.h"
#include "bench/peers/torch_tensors.h"

namespace gradwalk::bench {
namespace {

// The model of bench/gpt.h in eager libtorch, at its best there: query, key and value are one
// product, and the parts of attention are ops of their own, which beats its fused one.
class TorchGpt {
 public:
  TorchGpt(const GptConfig& config, const std::vector<Variable>& initial) : config_(config) {
    std::vector<at::Tensor> ours;
    for (const Variable& parameter : initial) ours.push_back(to_torch(parameter.value()));
    std::size_t at = 0;
    const auto take = [&] { return ours[at++].clone(); };
    add(take());  // wte
    add(take());  // wpe
    for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
      add(take());  // norm 1
      add(take());
      std::vector<at::Tensor> weights;
      std::vector<at::Tensor> biases;
      for (int part = 0; part < 3; ++part) {
        weights.push_back(take());
        biases.push_back(take());
      }
      add(torch::cat(weights));
      add(torch::cat(biases));
      for (int rest = 0; rest < 8; ++rest) add(take());  // projection, norm 2, MLP
    }
    add(take());  // last norm
    add(take());
    mask_ = torch::ones({config.seq_len, config.seq_len}, torch::kBool).triu(1);
  }

  at::Tensor loss(const at::Tensor& ids, const at::Tensor& targets) const {
    const std::int64_t batch = ids.size(0);
    const std::int64_t seq_len = ids.size(1);
    const std::int64_t d = config_.d_model;
    const std::int64_t head_dim = d / config_.num_heads;
    const double scale = 1 / std::sqrt(static_cast<double>(head_dim));
    std::size_t at = 2;
    const auto linear = [&](const at::Tensor& x) {
      const at::Tensor& weight = parameters_[at++];
      return torch::linear(x, weight, parameters_[at++]);
    };
    const auto norm = [&](const at::Tensor& x) {
      const at::Tensor& gamma = parameters_[at++];
      return torch::layer_norm(x, {d}, gamma, parameters_[at++]);
    };
    at::Tensor x = torch::embedding(parameters_[0], ids) + parameters_[1];
    for (std::int64_t layer = 0; layer < config_.num_layers; ++layer) {
      const at::Tensor qkv = linear(norm(x))
                                 .view({batch, seq_len, 3, config_.num_heads, head_dim})
                                 .permute({2, 0, 3, 1, 4});
      const at::Tensor scores = torch::matmul(qkv[0], qkv[1].transpose(-2, -1)) * scale;
      const at::Tensor weights =
          torch::softmax(scores.masked_fill(mask_, -std::numeric_limits<float>::infinity()), -1);
      const at::Tensor attended =
          torch::matmul(weights, qkv[2]).transpose(1, 2).reshape({batch, seq_len, d});
      x = x + linear(attended);
      const at::Tensor wide = at::gelu(linear(norm(x)), "tanh");
      x = x + linear(wide);
    }
    const at::Tensor logits = torch::linear(norm(x), parameters_[0]);
    return torch::nn::functional::cross_entropy(logits.view({-1, config_.vocab_size}),
                                                targets.view({-1}));
  }

  void backward(const at::Tensor& ids, const at::Tensor& targets) {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
    loss(ids, targets).backward();
  }

  // In the order of ours (gpt_grads): query, key and value apart again.
  Tensors grads() const {
    constexpr std::size_t kKey = 1;
    Tensors grads;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& grad = parameters_[i].grad();
      const std::size_t in_block = (i - 2) % 12;
      const bool joined = i >= 2 && i + 2 < parameters_.size() && in_block == 3;
      if (!joined) {
        if (i >= 2 && i + 2 < parameters_.size() && in_block == 2) continue;
        grads.push_back(from_torch(grad));
        continue;
      }
      const std::vector<at::Tensor> weights = parameters_[i - 1].grad().chunk(3);
      const std::vector<at::Tensor> biases = grad.chunk(3);
      for (std::size_t part = 0; part < 3; ++part) {
        grads.push_back(from_torch(weights[part]));
        if (part != kKey) grads.push_back(from_torch(biases[part]));
      }
    }
    return grads;
  }

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  void add(const at::Tensor& value) { parameters_.push_back(value.requires_grad_()); }

  GptConfig config_;
  std::vector<at::Tensor> parameters_;
  at::Tensor mask_;
};

torch::optim::AdamWOptions adamw_options() {
  const AdamWOptions ours = gpt_adamw_options();
  return torch::optim::AdamWOptions(ours.lr)
      .betas({ours.beta1, ours.beta2})
      .eps(ours.eps)
      .weight_decay(ours.weight_decay);
}

}  // namespace

std::vector<Contender> torch_gpt(const GptCall& call) {
  const auto model = std::make_shared<TorchGpt>(call.config, call.model->parameters());
  const GptBatch batch = call.batch;  // held, since the two are views of it
  const at::Tensor ids = to_torch(batch.ids);
  const at::Tensor targets = to_torch(batch.targets);
  if (call.pass == Pass::kForward) {
    const auto compute = [=] {
      const torch::NoGradGuard no_grad;
      return model->loss(ids, targets);
    };
    return {{"libtorch", [compute, batch] { compute(); },
             [compute]() -> Tensors { return {from_torch(compute())}; }}};
  }
  const auto backward = [=] { model->backward(ids, targets); };
  if (call.pass == Pass::kForwardBackward) {
    return {{"libtorch", [backward, batch] { backward(); },
             [backward, model] {
               backward();
               return model->grads();
             }}};
  }
  const auto optimizer =
      std::make_shared<torch::optim::AdamW>(model->parameters(), adamw_options());
  const auto step = [=] {
    backward();
    optimizer->step();
  };
  Contender way{"libtorch", [step, batch] { step(); }};
  if (call.config.vocab_size < 50'000) {  // as ours: see loss_after_steps
    way.result = [config = call.config, batch, ids, targets]() -> Tensors {
      const GptSetup initial(config);
      TorchGpt fresh(config, initial.model.parameters());
      torch::optim::AdamW adamw(fresh.parameters(), adamw_options());
      for (int i = 0; i < 3; ++i) {
        fresh.backward(ids, targets);
        adamw.step();
      }
      const torch::NoGradGuard no_grad;
      return {from_torch(fresh.loss(ids, targets))};
    };
  }
  return {way};
}

}  // namespace gradwalk::bench
