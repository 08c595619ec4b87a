#include "bench/peers/torch_ops.h"

#include <cmath>
#include <limits>
#include <map>

#include "bench/peers/torch_tensors.h"

namespace gradwalk::bench {
namespace {

using Inputs = std::vector<at::Tensor>;
using Forward = at::Tensor (*)(const Inputs&);

struct Way {
  const char* name;
  Forward forward;
};

const std::multimap<std::string, Way>& ways() {
  static const std::multimap<std::string, Way> all{
      {"softmax", {"libtorch", [](const Inputs& in) { return torch::softmax(in[0], -1); }}},
      {"layer_norm",
       {"libtorch",
        [](const Inputs& in) { return torch::layer_norm(in[0], {in[0].size(-1)}, in[1], in[2]); }}},
      {"rms_norm",
       {"libtorch",  // it has none: put together
        [](const Inputs& in) {
          return in[0] * torch::rsqrt(in[0].pow(2).mean(-1, true) + 1e-6) * in[1];
        }}},
      {"gelu_erf", {"libtorch", [](const Inputs& in) { return at::gelu(in[0]); }}},
      {"gelu_tanh", {"libtorch", [](const Inputs& in) { return at::gelu(in[0], "tanh"); }}},
      {"add", {"libtorch", [](const Inputs& in) { return in[0] + in[1]; }}},
      {"bias_add", {"libtorch", [](const Inputs& in) { return in[0] + in[1]; }}},
      {"relu", {"libtorch", [](const Inputs& in) { return torch::relu(in[0]); }}},
      {"exp", {"libtorch", [](const Inputs& in) { return torch::exp(in[0]); }}},
      {"sum_all", {"libtorch", [](const Inputs& in) { return in[0].sum(); }}},
      {"sum_rows", {"libtorch", [](const Inputs& in) { return in[0].sum(0); }}},
      {"sum_cols", {"libtorch", [](const Inputs& in) { return in[0].sum(1); }}},
      {"dropout", {"libtorch", [](const Inputs& in) { return torch::dropout(in[0], 0.1, true); }}},
      {"permute_heads",
       {"libtorch",
        [](const Inputs& in) {
          return in[0].permute({0, 2, 1, 3}).contiguous();
        }}},
      {"transpose", {"libtorch", [](const Inputs& in) { return in[0].t().contiguous(); }}},
      {"cross_entropy",
       {"libtorch",
        [](const Inputs& in) { return torch::nn::functional::cross_entropy(in[0], in[1]); }}},
      {"embedding", {"libtorch", [](const Inputs& in) { return torch::embedding(in[1], in[0]); }}},
      {"attention",
       {"libtorch-sdpa",
        [](const Inputs& in) {
          return std::get<0>(
              at::_scaled_dot_product_attention(in[0], in[1], in[2], {}, 0.0, false, true));
        }}},
      {"attention",
       {"libtorch-composed",
        [](const Inputs& in) {
          const std::int64_t seq_len = in[0].size(-2);
          static at::Tensor mask;  // as a model keeps it
          if (!mask.defined() || mask.size(0) != seq_len) {
            mask = torch::ones({seq_len, seq_len}, torch::kBool).triu(1);
          }
          const double scale = 1 / std::sqrt(static_cast<double>(in[0].size(-1)));
          const at::Tensor scores = torch::matmul(in[0], in[1].transpose(-2, -1)) * scale;
          const at::Tensor visible =
              scores.masked_fill(mask, -std::numeric_limits<float>::infinity());
          return torch::matmul(torch::softmax(visible, -1), in[2]);
        }}},
  };
  return all;
}

// Where libtorch can write over an earlier result, it is spared an allocation.
std::vector<Contender> out_ways(const OpCall& call, const Inputs& inputs) {
  const at::Tensor out = torch::empty_like(inputs.back());
  std::function<void()> run;
  if (call.op == "softmax") {
    run = [=]() mutable { at::_softmax_out(const_cast<at::Tensor&>(out), inputs[0], -1, false); };
  } else if (call.op == "gelu_erf") {
    run = [=] { at::gelu_out(const_cast<at::Tensor&>(out), inputs[0]); };
  } else if (call.op == "add") {
    run = [=] { at::add_out(const_cast<at::Tensor&>(out), inputs[0], inputs[1]); };
  } else {
    return {};
  }
  const auto guarded = [run] {
    const torch::NoGradGuard no_grad;
    run();
  };
  return {{"libtorch-out", guarded, [guarded, out]() -> Tensors {
             guarded();
             return {from_torch(out)};
           }}};
}

Contender forward_way(const Way& way, const Inputs& inputs, const Tensors& owners) {
  const auto compute = [inputs, owners, forward = way.forward] {
    const torch::NoGradGuard no_grad;
    return forward(inputs);
  };
  return {way.name, [compute] { compute(); },
          [compute]() -> Tensors { return {from_torch(compute())}; }};
}

Contender backward_way(const Way& way, const Inputs& inputs, const OpCall& call) {
  Inputs leaves;
  Inputs wanted;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(input.detach());
    if (!input.is_floating_point()) continue;
    leaves.back().requires_grad_();
    wanted.push_back(leaves.back());
  }
  const at::Tensor dy = to_torch(call.dy);
  const auto compute = [=, owners = call.inputs, owner = call.dy, forward = way.forward] {
    return torch::autograd::grad({forward(leaves)}, wanted, {dy});
  };
  return {way.name, [compute] { compute(); },
          [compute] {
            Tensors grads;
            for (const at::Tensor& grad : compute()) grads.push_back(from_torch(grad));
            return grads;
          }};
}

}  // namespace

std::vector<Contender> torch_op(const OpCall& call) {
  Inputs inputs;
  for (const Tensor& input : call.inputs) inputs.push_back(to_torch(input));
  std::vector<Contender> contenders;
  const auto [first, last] = ways().equal_range(call.op);
  for (auto way = first; way != last; ++way) {
    contenders.push_back(call.dy.defined() ? backward_way(way->second, inputs, call)
                                           : forward_way(way->second, inputs, call.inputs));
  }
  if (!call.dy.defined()) {
    for (Contender& way : out_ways(call, inputs)) contenders.push_back(std::move(way));
  }
  return contenders;
}

std::vector<Contender> torch_gemm(const Gemm& gemm) {
  const auto view = [](const Tensor& x, bool transposed) {
    return transposed ? to_torch(x).transpose(-2, -1) : to_torch(x);
  };
  const at::Tensor a = view(gemm.a, gemm.transpose_a);
  const at::Tensor b = view(gemm.b, gemm.transpose_b);
  const at::Tensor c =
      gemm.batch > 1 ? torch::empty({gemm.batch, gemm.m, gemm.n}) : torch::empty({gemm.m, gemm.n});
  const auto run = [=, batched = gemm.batch > 1] {
    const c10::InferenceMode inference;
    at::Tensor out = c;
    if (batched) {
      at::bmm_out(out, a, b);
    } else {
      at::mm_out(out, a, b);
    }
  };
  return {{"libtorch", run, [run, c, gemm]() -> Tensors {
             run();
             return {from_torch(c)};
           }}};
}

std::vector<Contender> torch_adamw(const Tensor& parameter, const Tensor& grad) {
  using Optimizer = std::shared_ptr<torch::optim::AdamW>;
  const auto fresh = [=]() -> std::pair<at::Tensor, Optimizer> {
    at::Tensor weight = to_torch(parameter).clone().requires_grad_();
    weight.mutable_grad() = to_torch(grad).clone();
    return {weight, std::make_shared<torch::optim::AdamW>(
                        std::vector<at::Tensor>{weight},
                        torch::optim::AdamWOptions(1e-3).eps(1e-8).weight_decay(0.1))};
  };
  return {{"libtorch", [optimizer = fresh().second] { optimizer->step(); },
           [fresh]() -> Tensors {
             const auto [weight, optimizer] = fresh();
             optimizer->step();
             return {from_torch(weight)};
           }}};
}

}  // namespace gradwalk::bench
