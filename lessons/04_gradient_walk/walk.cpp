#include "lessons/04_gradient_walk/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lessons/course/engine/measure.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_04 {
namespace {

using course::distance;
using course::Explain;
using course::Index;
using course::largest;
using course::Operands;
using course::Step;

constexpr DType kF64 = DType::kFloat64;
constexpr double kDifferenceStep = 1e-5;

Explain product(std::string spec, std::vector<std::string> operands, double scale = 1) {
  return Explain::contraction(std::move(spec), std::move(operands), scale);
}

void per_token(Step& step, const char* name, const Tensor& x, Explain how) {
  auto entry = step.tensor(name, x);
  x.ndim() == 1 ? entry.axes("token") : entry.axes("token", "component");
  entry.rows(kTokens).explain(std::move(how));
}

void weight(Step& step, const char* name, const Tensor& x) {
  step.tensor(name, x).axes("out", "in").explain(Explain::given("a parameter, chosen by hand"));
}

// dL/d`of`, with the badge of its check against the difference quotient.
void gradient(Step& step, const Walk& walk, const std::string& of, Explain how) {
  const Tensor& grad = walk.autograd.at(of);
  auto entry = step.gradient(of, grad);
  if (of == "k" || of == "v" || of == "z") entry.rows(kTokens);
  entry.explain(std::move(how))
      .badge({.compared = grad.numel(),
              .total = grad.numel(),
              .method = "central difference",
              .step = kDifferenceStep,
              .dtype = "f64",
              .worst = distance(walk.difference.at(of), grad) / largest(grad),
              .bound = 1e-8});
}

}  // namespace

const std::vector<std::string> kTokens = {"[CLS]", "num1", "num2"};

void begin(Walk& walk, const tasks::Toy& toy) {
  walk.toy = toy;
  walk.now = toy_state(toy);
  const tasks::ToyState& s = walk.now;
  walk.formula = toy_formulas(s);
  walk.autograd = {
      {"logits", s.dlogits}, {"output", s.doutput}, {"z", s.dz},     {"q", s.dq},     {"k", s.dk},
      {"v", s.dv},           {"W_Q", s.dw_q},       {"W_K", s.dw_k}, {"W_V", s.dw_v}, {"C", s.dc}};
  for (const auto& [name, grad] : walk.autograd) {
    walk.difference[name] = toy_difference(toy, name, kDifferenceStep);
  }
}

void record_projections(Step& step, const Walk& walk) {
  per_token(step, "h", walk.toy.h, Explain::given("input: the embeddings stay as they are"));
  weight(step, "W_Q", walk.toy.w_q);
  weight(step, "W_K", walk.toy.w_k);
  weight(step, "W_V", walk.toy.w_v);
  step.tensor("q", walk.now.q).axes("component").explain(product("ij,j->i", {"W_Q", "h[0]"}));
  per_token(step, "k", walk.now.k, product("ij,tj->ti", {"W_K", "h"}));
  per_token(step, "v", walk.now.v, product("ij,tj->ti", {"W_V", "h"}));
}

void record_weights(Step& step, const Walk& walk) {
  per_token(step, "z", walk.now.z, product("ti,i->t", {"k", "q"}, 0.5));
  per_token(step, "a", walk.now.a, Explain::softmax("z"));
}

void record_loss(Step& step, const Walk& walk) {
  const tasks::ToyState& s = walk.now;
  step.tensor("C", walk.toy.c)
      .axes("class", "component")
      .explain(Explain::given("a parameter, chosen by hand"));
  step.tensor("output", s.output).axes("component").explain(product("t,ti->i", {"a", "v"}));
  step.tensor("logits", s.logits).axes("class").explain(product("ci,i->c", {"C", "output"}));
  step.tensor("p", s.p).axes("class").explain(Explain::softmax("logits"));
  step.tensor("loss", scalar(s.loss, kF64))
      .explain(Explain::custom([](const Index&, const Operands& of) {
        course::Explanation e;
        e.value = -std::log(of("p", {0}));
        e.formula = "-ln p[0]";
        e.lines = {fmt::format("-ln {:.4f}", of("p", {0}))};
        e.next = {"p[0]"};
        return e;
      }));
}

void record_output_gradient(Step& step, const Walk& walk) {
  step.tensor("target", vector({1, 0}, kF64))
      .axes("class")
      .explain(Explain::given("class 0 is right"));
  gradient(step, walk, "logits",
           Explain::sum({product("c->c", {"p"}), product("c->c", {"target"}, -1)}));
  gradient(step, walk, "output", product("ci,c->i", {"C", "dlogits"}));
  gradient(step, walk, "v", product("t,i->ti", {"a", "doutput"}));
  gradient(step, walk, "C", product("c,i->ci", {"dlogits", "output"}));
  per_token(step, "g.v", walk.now.g_dot_v, product("ti,i->t", {"v", "doutput"}));
  step.tensor("g.output", scalar(walk.now.g_dot_output, kF64))
      .explain(product("i,i->", {"output", "doutput"}));
}

void record_score_gradient(Step& step, const Walk& walk) {
  gradient(
      step, walk, "z",
      Explain::sum({product("t,t->t", {"a", "g.v"}), product("t,->t", {"a", "g.output"}, -1)}));
}

void record_weight_gradient(Step& step, const Walk& walk) {
  gradient(step, walk, "q", product("t,ti->i", {"dz", "k"}, 0.5));
  gradient(step, walk, "k", product("t,i->ti", {"dz", "q"}, 0.5));
  gradient(step, walk, "W_Q", product("i,j->ij", {"dq", "h[0]"}));
  gradient(step, walk, "W_K", product("ti,tj->ij", {"dk", "h"}));
  gradient(step, walk, "W_V", product("ti,tj->ij", {"dv", "h"}));
}

void record_update(Step& step, const Walk& walk, const tasks::ToyState& after, double lr) {
  const Tensor h_cls = select(walk.toy.h, 0, 0);
  const double squared_length = matmul(h_cls, h_cls).item();
  step.tensor("W_Q'", after.toy.w_q)
      .axes("out", "in")
      .explain(Explain::sum({product("ij->ij", {"W_Q"}), product("ij->ij", {"dW_Q"}, -lr)}));
  step.tensor("q'", after.q)
      .axes("component")
      .explain(
          Explain::sum({product("i->i", {"q"}), product("i->i", {"dq"}, -lr * squared_length)}));
  per_token(step, "z'", after.z, product("ti,i->t", {"k", "q'"}, 0.5));
  per_token(step, "a'", after.a, Explain::softmax("z'"));
}

void check_three_ways(Step& step, const Walk& walk, const std::vector<std::string>& names) {
  double formula = 0;
  double difference = 0;
  std::int64_t entries = 0;
  for (const std::string& name : names) {
    const Tensor& grad = walk.autograd.at(name);
    formula = std::max(formula, distance(walk.formula.at(name), grad));
    difference = std::max(difference, distance(walk.difference.at(name), grad));
    entries += grad.numel();
  }
  step.check(
      fmt::format("formula, difference quotient and autograd agree on d{}",
                  fmt::join(names, ", d")),
      formula < 1e-15 && difference < 1e-9,
      fmt::format("{} entries, {:.0e} and {:.0e} apart at most", entries, formula, difference));
}

Plane::Plane(const Tensor& first, const Tensor& second) : along_(first / nn::length(first)) {
  const Tensor rest = second - along_ * matmul(second, along_);
  across_ = rest / nn::length(rest);
}

std::pair<double, double> Plane::operator()(const Tensor& x) const {
  return {matmul(x, along_).item(), matmul(x, across_).item()};
}

}  // namespace gradwalk::lesson_04
