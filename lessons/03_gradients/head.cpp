#include "lessons/03_gradients/head.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/linear.h"
#include "autograd/matmul.h"
#include "autograd/mse.h"
#include "autograd/softmax.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_03 {
namespace {

constexpr DType kF64 = DType::kFloat64;
constexpr std::int64_t kTokens = 6, kWidth = 8, kHeadDim = 4;
constexpr double kSqrtHeadDim = 2;

double squared_norm(const Tensor& x) { return sum(x * x).item(); }

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.dtype() == kF64 && b.dtype() == kF64 && a.shape() == b.shape() &&
         a.data<double>() == b.data<double>() && a.is_contiguous() == b.is_contiguous();
}

}  // namespace

Head random_head(Generator generator) {
  const double spread = 1 / std::sqrt(static_cast<double>(kWidth));
  Head head;
  head.x = normal({kTokens, kWidth}, generator, kF64);
  head.w_q = normal({kHeadDim, kWidth}, generator, kF64) * spread;
  head.w_k = normal({kHeadDim, kWidth}, generator, kF64) * spread;
  head.w_v = normal({kHeadDim, kWidth}, generator, kF64) * spread;
  head.target = normal({kTokens, kHeadDim}, generator, kF64);
  return head;
}

Head head_of(course::Step& step, std::int64_t seed) {
  return random_head(step.generator(fmt::format("head {}", seed)));
}

HeadGraph forward(const Head& head) {
  HeadGraph g;
  g.w_q = parameter(clone(head.w_q));
  g.w_k = parameter(clone(head.w_k));
  g.w_v = parameter(clone(head.w_v));
  g.q = linear(head.x, g.w_q);
  g.k = linear(head.x, g.w_k);
  g.v = linear(head.x, g.w_v);
  g.k_t = transpose(g.k);
  g.products = matmul(g.q, g.k_t);
  g.s = g.products / kSqrtHeadDim;
  g.w = softmax(g.s, /*axis=*/-1);
  g.o = matmul(g.w, g.v);
  g.loss = mse(g.o, head.target);
  for (const Variable& inner : {g.q, g.k, g.v, g.s, g.w, g.o}) inner.retain_grad();
  return g;
}

course::Explain product(std::string spec, std::vector<std::string> operands, double scale) {
  return course::Explain::contraction(std::move(spec), std::move(operands), scale);
}

void record_forward(course::Step& step, const Head& head, const HeadGraph& g) {
  step.tensor("x", head.x)
      .axes("token", "component")
      .explain(course::Explain::given("input: N(0, 1)"));
  const auto weight = [&](const char* name, const Tensor& w) {
    step.tensor(name, w)
        .axes("out", "in")
        .explain(course::Explain::given("a parameter: N(0, 1/8)"));
  };
  weight("W_Q", head.w_q);
  weight("W_K", head.w_k);
  weight("W_V", head.w_v);
  step.tensor("q", g.q.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_Q"}));
  step.tensor("k", g.k.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_K"}));
  step.tensor("v", g.v.value())
      .axes("token", "component")
      .explain(product("tj,ij->ti", {"x", "W_V"}));
  step.tensor("s", g.s.value()).axes("query", "key").explain(product("ac,bc->ab", {"q", "k"}, 0.5));
  step.tensor("w", g.w.value()).axes("query", "key").explain(course::Explain::softmax("s"));
  step.tensor("o", g.o.value())
      .axes("token", "component")
      .explain(product("ab,bc->ac", {"w", "v"}));
  step.tensor("target", head.target)
      .axes("token", "component")
      .explain(course::Explain::given("what the head should say: N(0, 1)"));
}

Head turned(Head head, std::int64_t row, std::int64_t column, double by) {
  head.w_k = clone(head.w_k);
  head.w_k.mutable_data<double>()[row * kWidth + column] += by;
  return head;
}

double loss_of(const Head& head) { return forward(head).loss.value().item(); }

Tensor scores_of(const Head& head) { return forward(head).s.value(); }

Tensor gradient_by_autograd(const Head& head) {
  const HeadGraph g = forward(head);
  backward(g.loss);
  return g.w_k.grad();
}

Tensor gradient_by_difference(const Head& head, double step) {
  std::vector<double> slopes;
  for (std::int64_t row = 0; row < kHeadDim; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const double above = loss_of(turned(head, row, column, step));
      const double below = loss_of(turned(head, row, column, -step));
      slopes.push_back((above - below) / (2 * step));
    }
  }
  return from_vector(slopes, {kHeadDim, kWidth}, kF64);
}

Tensor gradient_by_formula(const Head& head) {
  const HeadGraph g = forward(head);
  const Tensor q = g.q.value(), v = g.v.value(), w = g.w.value(), o = g.o.value();
  const Tensor d_o = (o - head.target) * (2 / static_cast<double>(o.numel()));
  const Tensor by_values = matmul(d_o, transpose(v));                   // do_a.v_b, [6, 6]
  const Tensor by_blend = sum(d_o * o, /*axes=*/1, /*keepdims=*/true);  // do_a.o_a, [6, 1]
  const Tensor ds = w * (by_values - by_blend);
  return matmul(transpose(q), matmul(ds, head.x)) / kSqrtHeadDim;
}

int downhill(const Head& head, const Tensor& gradient, double by) {
  const double start = loss_of(head);
  int lower = 0;
  for (std::int64_t row = 0; row < kHeadDim; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const double turn = gradient.at({row, column}) > 0 ? -by : by;
      if (loss_of(turned(head, row, column, turn)) < start) ++lower;
    }
  }
  return lower;
}

void BackwardObserver::on_backward(const BackwardStep& step) {
  BackwardOp passed;
  passed.op = step.op;
  passed.shape = step.output.shape().str();
  passed.incoming = std::sqrt(squared_norm(step.dy));
  double passed_on = 0;
  for (const Tensor& dx : step.dx) {
    if (dx.defined()) passed_on += squared_norm(dx);
  }
  passed.outgoing = std::sqrt(passed_on);
  ops_.push_back(std::move(passed));
  outputs_.push_back(step.output);
}

void BackwardObserver::name(const Variable& variable, const std::string& name) {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (same_tensor(outputs_[i], variable.value())) ops_[i].name = name;
  }
}

double toy_loss_along(const tasks::Toy& toy, const Tensor& direction, double lr) {
  tasks::Toy moved = toy;
  moved.w_q = toy.w_q - direction * lr;
  const NoGrad no_grad;
  return toy_forward(moved).loss.value().item();
}

Tensor toy_gradient(const tasks::Toy& toy, bool wrong_label) {
  const tasks::ToyGraph graph = toy_forward(toy);
  const Tensor label = scalar(wrong_label ? 1 : 0, DType::kInt64);
  backward(cross_entropy(graph.logits, label));
  return graph.w_q.grad();
}

}  // namespace gradwalk::lesson_03
