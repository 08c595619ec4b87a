#include "bench/peers/torch_ops.h"
#include "bench/peers/torch_tensors.h"

namespace gradwalk::bench {
namespace {

at::Tensor apply(const std::string& op, const at::Tensor& x, const at::Tensor& y) {
  if (op == "mul") return x * y;
  if (op == "add") return x + y;
  if (op == "matmul") return torch::matmul(x, y);
  return torch::tanh(x);
}

at::Tensor chain(const std::string& op, int length, const at::Tensor& x, const at::Tensor& y) {
  at::Tensor z = x;
  for (int i = 0; i < length; ++i) z = apply(op, z, y);
  return z;
}

// One step over as many tiny parameters.
template <class Optimizer, class Options>
std::vector<Contender> optimizer_step(int length, Options options) {
  std::vector<at::Tensor> parameters;
  for (int i = 0; i < length; ++i) {
    parameters.push_back(torch::rand({4, 4}).requires_grad_());
    parameters.back().mutable_grad() = torch::rand({4, 4});
  }
  const auto optimizer = std::make_shared<Optimizer>(parameters, options);
  return {{"libtorch", [optimizer] { optimizer->step(); }}};
}

}  // namespace

std::vector<Contender> torch_overhead(const std::string& kind, int length) {
  const std::string op = kind.substr(0, kind.find('.'));
  const std::string mode = kind.substr(kind.find('.') + 1);
  if (op == "sgd") {
    return optimizer_step<torch::optim::SGD>(length, torch::optim::SGDOptions(1e-3));
  }
  if (op == "adamw") {
    return optimizer_step<torch::optim::AdamW>(length, torch::optim::AdamWOptions(1e-3));
  }
  if (op == "empty") {
    return {{"libtorch", [length] {
               for (int i = 0; i < length; ++i) torch::empty({1, 1, 4, 4});
             }}};
  }
  const at::Tensor a = torch::full({1, 1, 4, 4}, 0.5);
  if (op == "view") {
    return {{"libtorch", [length, a] {
               const torch::NoGradGuard no_grad;
               for (int i = 0; i < length; ++i) a.view({4, 4});
             }}};
  }
  const at::Tensor b = op == "matmul" ? torch::full({4, 4}, 0.25) : torch::full({1, 1, 4, 4}, 0.5);
  if (mode == "fwd-nograd") {
    const auto compute = [=] { return chain(op, length, a, b); };
    return {{"libtorch",
             [=] {
               const torch::NoGradGuard no_grad;
               compute();
             },
             [=]() -> Tensors { return {from_torch(compute())}; }},
            {"libtorch-inference", [=] {
               const c10::InferenceMode inference;
               compute();
             }}};
  }
  at::Tensor x = a.clone().requires_grad_();
  at::Tensor y = b.clone().requires_grad_();
  if (mode == "fwd-taped") {
    return {{"libtorch", [=] { chain(op, length, x, y); },
             [=]() -> Tensors { return {from_torch(chain(op, length, x, y))}; }}};
  }
  const at::Tensor seed = torch::ones({1, 1, 4, 4});
  std::vector<at::Tensor> wanted{x};
  if (op != "tanh") wanted.push_back(y);
  const auto compute = [=] {
    return torch::autograd::grad({chain(op, length, x, y)}, wanted, {seed});
  };
  return {{"libtorch", [compute] { compute(); },
           [compute] {
             Tensors grads;
             for (const at::Tensor& grad : compute()) grads.push_back(from_torch(grad));
             return grads;
           }}};
}

}  // namespace gradwalk::bench
