#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/toy4d.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Explain;
using course::Step;
using tasks::ToyState;

}  // namespace

void two_ways_up(Step& step) {
  const std::vector<std::string> tokens = {"[CLS]", "num1", "num2"};
  constexpr double kRate = 0.5;
  const tasks::Toy toy = tasks::toy_base();
  const ToyState start = tasks::toy_state(toy);
  const auto moved = [&](tasks::Trained who) {
    return tasks::toy_walk(toy, who, kRate, /*steps=*/1)[1];
  };
  const ToyState query = moved({.w_q = true}), key = moved({.w_k = true});
  const ToyState both = moved({.w_q = true, .w_k = true});
  step.formula("the toy of lesson 4: h [3,4], W_Q and W_K [4,4], q [4], k [3,4]");
  step.formula("z_t = q.k_t / 2, the score: a product, so it has two gradients");
  step.formula("dL/dq = sum_t dL/dz_t k_t / 2      W_Q moves: q goes to the keys");
  step.formula("dL/dk_t = dL/dz_t q / 2            W_K moves: keys come to q");
  auto table = step.table(fmt::format("scores after one update, learning rate {}", kRate),
                          {"z [CLS]", "z num1", "z num2", "loss"});
  auto& bars = step.picture(
      course::Bars("by how much each score rises", {"W_Q moves", "W_K moves", "both"}));
  const auto row = [&](const char* label, const ToyState& s, const char* note) {
    table.digits(3).row(label, {s.z.at({0}), s.z.at({1}), s.z.at({2}), s.loss}, note);
  };
  row("as it begins", start, "num1 holds the answer; loss in nats");
  row("W_Q moves", query, "");
  row("W_K moves", key, "");
  row("both move", both, "");
  for (std::int64_t t = 0; t < 3; ++t) {
    const auto rise = [&](const ToyState& s) { return s.z.at({t}) - start.z.at({t}); };
    bars.digits(3).group(tokens[static_cast<std::size_t>(t)], {rise(query), rise(key), rise(both)});
  }
  const auto weight = [&](const char* label, const Tensor& w) {
    step.tensor(label, w).axes("out", "in").explain(Explain::given("by hand, as in lesson 4"));
  };
  step.tensor("h", toy.h).axes("token", "in").rows(tokens).explain(Explain::given("by hand"));
  weight("W_Q", toy.w_q);
  weight("W_K", toy.w_k);
  step.tensor("q", start.q).axes("out").explain(Explain::contraction("ij,j->i", {"W_Q", "h[0]"}));
  step.tensor("k", start.k)
      .axes("token", "out")
      .rows(tokens)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "h"}));
  step.tensor("z", start.z)
      .axes("token")
      .columns(tokens)
      .explain(Explain::contraction("i,ti->t", {"q", "k"}, 0.5));
  step.gradient("z", start.dz)
      .axes("token")
      .columns(tokens)
      .explain(Explain::given("by backpropagation; lesson 4 takes it apart"));
  step.gradient("q", start.dq)
      .axes("out")
      .explain(Explain::contraction("t,ti->i", {"dz", "k"}, 0.5));
  step.gradient("k", start.dk)
      .axes("token", "out")
      .rows(tokens)
      .explain(Explain::contraction("t,i->ti", {"dz", "q"}, 0.5));
  step.gradient("W_Q", start.dw_q)
      .axes("out", "in")
      .explain(Explain::contraction("i,j->ij", {"dq", "h[0]"}));
  step.gradient("W_K", start.dw_k)
      .axes("out", "in")
      .explain(Explain::contraction("ti,tj->ij", {"dk", "h"}));
  const auto helps = [&](const ToyState& s) {
    return s.z.at({1}) > start.z.at({1}) && s.loss < start.loss;
  };
  step.check("either side alone raises z of num1 and lowers the loss", helps(query) && helps(key));
  step.why(
      "A score is a product of two learned vectors. Descent asks each of them for help, and "
      "neither knows that the other moves too.");
  step.try_next({"./gradwalk run 18 --step", "./gradwalk run 4 --step"});
}

}  // namespace gradwalk::lesson_18
