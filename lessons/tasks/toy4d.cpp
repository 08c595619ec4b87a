#include "lessons/tasks/toy4d.h"

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/softmax.h"
#include "nn/diagnostics/cosine.h"
#include "nn/optim/sgd.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::tasks {
namespace {

constexpr DType kF64 = DType::kFloat64;
constexpr double kSqrtD = 2;

using Values = std::map<std::string, Tensor>;

// The parameters that one graph is built on.
struct Leaves {
  Variable w_q, w_k, w_v, c;
};

Leaves leaves_of(const Toy& toy) {
  return {parameter(clone(toy.w_q)), parameter(clone(toy.w_k)), parameter(clone(toy.w_v)),
          parameter(clone(toy.c))};
}

ToyGraph build(const Tensor& h, const Leaves& leaves, const Values& given) {
  const auto or_given = [&given](const char* name, const Variable& computed) {
    const auto found = given.find(name);
    return found == given.end() ? computed : parameter(found->second);
  };
  ToyGraph g;
  g.w_q = leaves.w_q;
  g.w_k = leaves.w_k;
  g.w_v = leaves.w_v;
  g.c = leaves.c;
  g.q = or_given("q", matmul(g.w_q, select(h, 0, 0)));
  g.k = or_given("k", matmul(h, transpose(g.w_k)));
  g.v = or_given("v", matmul(h, transpose(g.w_v)));
  g.z = or_given("z", matmul(g.k, g.q) / kSqrtD);
  g.a = or_given("a", softmax(g.z, /*axis=*/-1));
  g.output = or_given("output", matmul(g.a, g.v));
  g.logits = or_given("logits", matmul(g.c, g.output));
  g.loss = cross_entropy(g.logits, scalar(0, DType::kInt64));
  return g;
}

// One pass forward and backward on leaves, which keep their gradients.
ToyState pass(const Tensor& h, const Leaves& leaves) {
  const ToyGraph g = build(h, leaves, {});
  for (const Variable& inner : {g.q, g.k, g.v, g.z, g.output, g.logits}) inner.retain_grad();
  backward(g.loss);

  ToyState s;
  s.toy = {h, clone(g.w_q.value()), clone(g.w_k.value()), clone(g.w_v.value()), clone(g.c.value())};
  s.q = g.q.value();
  s.k = g.k.value();
  s.v = g.v.value();
  s.z = g.z.value();
  s.a = g.a.value();
  s.output = g.output.value();
  s.logits = g.logits.value();
  s.p = softmax(s.logits, /*axis=*/-1);
  s.loss = g.loss.value().item();
  s.dlogits = g.logits.grad();
  s.doutput = g.output.grad();
  s.dz = g.z.grad();
  s.dq = g.q.grad();
  s.dk = g.k.grad();
  s.dv = g.v.grad();
  s.dw_q = g.w_q.grad();
  s.dw_k = g.w_k.grad();
  s.dw_v = g.w_v.grad();
  s.dc = g.c.grad();
  s.g_dot_v = matmul(s.v, s.doutput);
  s.g_dot_output = matmul(s.output, s.doutput).item();
  s.cos_q_k = nn::cosine(s.q, s.k);
  s.cos_minus_dq_k = nn::cosine(neg(s.dq), s.k);
  return s;
}

}  // namespace

Toy toy_base() {
  Toy toy;
  toy.h = matrix({{1, 0, 0, 0.5}, {0, 1, 0, 0.5}, {0, 0, 1, 0.5}}, kF64);
  toy.w_q = matrix({{0.6, 0.1, -0.4, -0.2},
                    {-0.3, 0.2, 0.3, -0.4},
                    {0.3, -0.3, 0.2, 0.4},
                    {0.4, 0.5, -0.1, 0.2}},
                   kF64);
  toy.w_k = matrix(
      {{0.5, 1.1, -0.7, 0.2}, {-0.6, 1.0, 0.6, -0.4}, {0.1, -0.5, 1.3, 0.2}, {-1.4, 1.0, 0.2, 0.4}},
      kF64);
  toy.w_v = matrix(
      {{0.2, 1.0, -0.3, 0.0}, {0.2, -0.2, 0.9, 0.0}, {-0.3, 0.2, -0.1, 0.2}, {0.2, 0.1, 0.3, -0.2}},
      kF64);
  toy.c = matrix({{1, -1, 0.5, 0}, {-1, 1, 0, 0.5}}, kF64);
  return toy;
}

Toy toy_variant_b() {
  Toy toy = toy_base();
  toy.w_v = matrix({{-1.4, 1.0, -0.1, 0.0},
                    {1.8, -0.2, 0.2, 0.0},
                    {-0.3, 0.2, -0.1, 0.2},
                    {0.2, 0.1, 0.3, -0.2}},
                   kF64);
  return toy;
}

Toy toy_variant_c() {
  Toy toy = toy_base();
  toy.c = neg(toy.c);
  return toy;
}

Toy with_swapped_values(Toy toy) {
  // h_num1 and h_num2 differ in components 1 and 2 alone, so exchanging those columns exchanges the
  // two values.
  std::vector<double> values = toy.w_v.to_vector();
  for (std::size_t row = 0; row < 4; ++row) std::swap(values[4 * row + 1], values[4 * row + 2]);
  toy.w_v = from_vector(values, toy.w_v.shape(), kF64);
  return toy;
}

ToyGraph toy_forward(const Toy& toy, const Values& given) {
  return build(toy.h, leaves_of(toy), given);
}

Variable toy_logits(const Tensor& h, const std::vector<Variable>& parameters) {
  return build(h, {parameters.at(0), parameters.at(1), parameters.at(2), parameters.at(3)}, {})
      .logits;
}

Tensor toy_difference(const Toy& toy, const std::string& name, double step) {
  const std::map<std::string, Tensor Toy::*> parameters = {
      {"W_Q", &Toy::w_q}, {"W_K", &Toy::w_k}, {"W_V", &Toy::w_v}, {"C", &Toy::c}};
  const auto which = parameters.find(name);
  const ToyGraph at = toy_forward(toy);
  const std::map<std::string, Variable> inner = {
      {"q", at.q}, {"k", at.k},           {"v", at.v},          {"z", at.z},
      {"a", at.a}, {"output", at.output}, {"logits", at.logits}};
  if (which == parameters.end() && !inner.contains(name)) {
    throw std::invalid_argument("toy_difference: no value called " + name);
  }
  const Tensor origin = which != parameters.end() ? toy.*(which->second) : inner.at(name).value();

  const NoGrad guard;
  const auto loss_at = [&](const std::vector<double>& values) {
    const Tensor moved = from_vector(values, origin.shape(), kF64);
    if (which == parameters.end()) return toy_forward(toy, {{name, moved}}).loss.value().item();
    Toy changed = toy;
    changed.*(which->second) = moved;
    return toy_forward(changed).loss.value().item();
  };
  std::vector<double> values = origin.to_vector();
  std::vector<double> slopes;
  for (double& value : values) {
    const double before = value;
    value = before + step;
    const double above = loss_at(values);
    value = before - step;
    const double below = loss_at(values);
    value = before;
    slopes.push_back((above - below) / (2 * step));
  }
  return from_vector(slopes, origin.shape(), kF64);
}

ToyState toy_state(const Toy& toy) { return pass(toy.h, leaves_of(toy)); }

std::map<std::string, Tensor> toy_formulas(const ToyState& s) {
  const Tensor& h = s.toy.h;
  const Tensor dlogits = s.p - vector({1, 0}, kF64);
  const Tensor g = matmul(transpose(s.toy.c), dlogits);
  const Tensor dz = s.a * (matmul(s.v, g) - matmul(s.output, g));
  const Tensor dq = matmul(transpose(s.k), dz) / kSqrtD;
  const Tensor dk = outer(dz, s.q) / kSqrtD;
  const Tensor dv = outer(s.a, g);
  return {{"logits", dlogits},
          {"output", g},
          {"z", dz},
          {"q", dq},
          {"k", dk},
          {"v", dv},
          {"W_Q", outer(dq, select(h, 0, 0))},
          {"W_K", matmul(transpose(dk), h)},
          {"W_V", matmul(transpose(dv), h)},
          {"C", outer(dlogits, s.output)}};
}

std::vector<ToyState> toy_walk(const Toy& start, Trained trained, double lr, int steps) {
  const Leaves leaves = leaves_of(start);
  std::vector<Variable> moving;
  if (trained.w_q) moving.push_back(leaves.w_q);
  if (trained.w_k) moving.push_back(leaves.w_k);
  if (trained.w_v) moving.push_back(leaves.w_v);
  if (trained.c) moving.push_back(leaves.c);
  nn::Sgd sgd(moving, lr);

  std::vector<ToyState> states;
  for (int step = 0; step <= steps; ++step) {
    states.push_back(pass(start.h, leaves));
    sgd.step();
    for (const Variable& leaf : {leaves.w_q, leaves.w_k, leaves.w_v, leaves.c}) leaf.zero_grad();
  }
  return states;
}

}  // namespace gradwalk::tasks
