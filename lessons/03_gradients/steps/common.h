#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/03_gradients/head.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/step.h"
#include "tensor/tensor.h"

/// What several steps of lesson 3 use.
namespace gradwalk::lesson_03 {

inline Head head_of(course::Step& step, std::int64_t seed) {
  return random_head(step.generator(fmt::format("head {}", seed)));
}

inline course::Explain product(std::string spec, std::vector<std::string> operands,
                               double scale = 1) {
  return course::Explain::contraction(std::move(spec), std::move(operands), scale);
}

inline void record_forward(course::Step& step, const Head& head, const HeadGraph& g) {
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

}  // namespace gradwalk::lesson_03
