// What an op costs beside its arithmetic: chains of 32 on [1, 1, 4, 4], time per op.

#include "autograd/activation.h"
#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "bench/workloads.h"
#include "nn/optim/adamw.h"
#include "nn/optim/sgd.h"
#include "tensor/activation.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reference/activation.h"
#include "tensor/reference/elementwise.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::bench {
namespace {

constexpr int kLength = 32;
const Shape kSmall{1, 1, 4, 4};

struct Op {
  std::string name;
  Tensor (*value)(const Tensor&, const Tensor&);
  Tensor (*naive)(const Tensor&, const Tensor&);
  Variable (*taped)(const Variable&, const Variable&);
};

std::vector<Op> ops() {
  return {{"mul", mul, reference::mul, mul},
          {"add", add, reference::add, add},
          {"tanh", [](const Tensor& x, const Tensor&) { return tanh(x); },
           [](const Tensor& x, const Tensor&) { return reference::tanh(x); },
           [](const Variable& x, const Variable&) { return tanh(x); }},
          {"matmul", matmul, reference::matmul, matmul}};
}

template <class Value>
Value chain(Value (*op)(const Value&, const Value&), const Value& x, const Value& y) {
  Value z = x;
  for (int i = 0; i < kLength; ++i) z = op(z, y);
  return z;
}

// Numbers that no chain makes large or so small that they become denormal.
Tensor first_operand() { return full(kSmall, 0.5); }
Tensor second_operand(const Op& op) {
  return op.name == "matmul" ? full({4, 4}, 0.25) : full(kSmall, 0.5);
}

std::vector<Contender> values(const Op& op, const Peers& peers) {
  const Tensor a = first_operand();
  const Tensor b = second_operand(op);
  std::vector<Contender> all{{"ours", [=] { chain(op.value, a, b); },
                              [=]() -> Tensors { return {chain(op.value, a, b)}; }},
                             {"naive", [=] { chain(op.naive, a, b); },
                              [=]() -> Tensors { return {chain(op.naive, a, b)}; }}};
  add_ways(all, peers, [&](Peer& peer) { return peer.overhead(op.name + ".fwd-nograd", kLength); });
  return all;
}

std::vector<Contender> taped(const Op& op, const Peers& peers) {
  const Variable a = parameter(first_operand());
  const Variable b = parameter(second_operand(op));
  std::vector<Contender> all{{"ours", [=] { chain(op.taped, a, b); },
                              [=]() -> Tensors { return {chain(op.taped, a, b).value()}; }}};
  add_ways(all, peers, [&](Peer& peer) { return peer.overhead(op.name + ".fwd-taped", kLength); });
  return all;
}

std::vector<Contender> taped_backward(const Op& op, const Peers& peers) {
  const Variable a = parameter(first_operand());
  const Variable b = parameter(second_operand(op));
  const Tensor dy = ones(kSmall);
  const auto ours = [=] {
    a.zero_grad();
    b.zero_grad();
    backward(chain(op.taped, a, b), dy);
  };
  std::vector<Contender> all{{"ours", ours, [=]() -> Tensors {
                                ours();
                                if (op.name == "tanh") return {a.grad()};
                                return {a.grad(), b.grad()};
                              }}};
  add_ways(all, peers, [&](Peer& peer) { return peer.overhead(op.name + ".fwdbwd", kLength); });
  return all;
}

std::vector<Contender> empty(const Peers& peers) {
  std::vector<Contender> all{{"ours", [] {
                                for (int i = 0; i < kLength; ++i) {
                                  Tensor("empty", kSmall, DType::kFloat32);
                                }
                              }}};
  add_ways(all, peers, [](Peer& peer) { return peer.overhead("empty", kLength); });
  return all;
}

std::vector<Contender> view(const Peers& peers) {
  const Tensor a = first_operand();
  std::vector<Contender> all{{"ours", [a] {
                                for (int i = 0; i < kLength; ++i) reshape(a, {4, 4});
                              }}};
  add_ways(all, peers, [](Peer& peer) { return peer.overhead("view", kLength); });
  return all;
}

// Tiny parameters with their gradients.
std::vector<Variable> parameters() {
  std::vector<Variable> all;
  for (int i = 0; i < kLength; ++i) {
    all.push_back(parameter(full({4, 4}, 0.5)));
    backward(mul(all.back(), all.back()), ones({4, 4}));
  }
  return all;
}

template <class Optimizer>
std::vector<Contender> optimizer_step(const std::string& kind, Optimizer chosen,
                                      const Peers& peers) {
  const auto optimizer = std::make_shared<Optimizer>(std::move(chosen));
  std::vector<Contender> all{{"ours", [optimizer] { optimizer->step(); }}};
  add_ways(all, peers, [&](Peer& peer) { return peer.overhead(kind, kLength); });
  return all;
}

}  // namespace

std::vector<Workload> overhead_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  const auto add_workload = [&](const std::string& name, auto contenders) {
    workloads.push_back({"overhead." + name, kNanoseconds, kLength, /*tolerance=*/1e-5, contenders,
                         /*one_thread_only=*/true});
  };
  for (const Op& op : ops()) {
    add_workload(op.name + ".fwd-nograd.1x1x4x4", [=] { return values(op, peers); });
    add_workload(op.name + ".fwd-taped.1x1x4x4", [=] { return taped(op, peers); });
    add_workload(op.name + ".fwdbwd.1x1x4x4", [=] { return taped_backward(op, peers); });
  }
  add_workload("empty.1x1x4x4", [=] { return empty(peers); });
  add_workload("view.1x1x4x4", [=] { return view(peers); });
  add_workload("sgd.per-tensor.4x4",
               [=] { return optimizer_step("sgd", nn::Sgd(parameters(), /*lr=*/1e-3), peers); });
  add_workload("adamw.per-tensor.4x4",
               [=] { return optimizer_step("adamw", nn::AdamW(parameters()), peers); });
  return workloads;
}

}  // namespace gradwalk::bench
