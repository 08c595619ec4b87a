#include "lessons/tasks/toy4d.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/diagnostics/cosine.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

constexpr double kTolerance = 1e-12;  // absolute; the numbers are known to 1.2e-15
constexpr DType kDouble = DType::kFloat64;

double frobenius(const Tensor& x) { return nn::length(reshape(x, {-1})).item(); }

// A state under the names that tests/golden/toy4d.json uses.
std::map<std::string, Tensor> named(const ToyState& s) {
  return {{"WQ", s.toy.w_q},
          {"WK", s.toy.w_k},
          {"WV", s.toy.w_v},
          {"C", s.toy.c},
          {"q", s.q},
          {"k", s.k},
          {"v", s.v},
          {"z", s.z},
          {"a", s.a},
          {"output", s.output},
          {"logits", s.logits},
          {"p", s.p},
          {"loss", scalar(s.loss, kDouble)},
          {"dlogits", s.dlogits},
          {"g_output", s.doutput},
          {"g_dot_v", s.g_dot_v},
          {"g_dot_output", scalar(s.g_dot_output, kDouble)},
          {"dz", s.dz},
          {"dq", s.dq},
          {"dk", s.dk},
          {"dv", s.dv},
          {"grad_WQ", s.dw_q},
          {"grad_WK", s.dw_k},
          {"grad_WV", s.dw_v},
          {"grad_C", s.dc},
          {"cos_q_k", s.cos_q_k},
          {"cos_minus_dq_k", s.cos_minus_dq_k},
          {"norm_q", nn::length(s.q)},
          {"norm_k", nn::length(s.k)},
          {"norm_grad_WQ", scalar(frobenius(s.dw_q), kDouble)},
          {"norm_grad_WK", scalar(frobenius(s.dw_k), kDouble)}};
}

// Compares a walk with its golden states and counts the numbers.
int compare(const std::vector<ToyState>& walk, const nlohmann::json& golden) {
  int numbers = 0;
  for (const auto& [step, values] : golden.items()) {
    const auto ours = named(walk.at(std::stoul(step)));
    EXPECT_EQ(values.size(), ours.size());
    for (const auto& [name, value] : values.items()) {
      const Tensor want = test::tensor_from(value);
      EXPECT_EQ(test::difference(ours.at(name), want, 0, kTolerance), "")
          << name << " at step " << step;
      numbers += static_cast<int>(want.numel());
    }
  }
  return numbers;
}

TEST(Toy4d, EveryNumberOfTheSevenWalksIsTheGoldenOne) {
  const nlohmann::json golden = test::golden("toy4d.json");
  const double lr = golden.at("lr");
  const auto& walks = golden.at("walks");
  const Trained query = {.w_q = true};
  const Trained all = {.w_q = true, .w_k = true, .w_v = true, .c = true};
  int numbers = 0;
  numbers += compare(toy_walk(toy_base(), query, lr, 50), walks.at("only_WQ"));
  numbers += compare(toy_walk(toy_base(), {.w_k = true}, lr, 50), walks.at("only_WK"));
  numbers += compare(toy_walk(toy_base(), {.w_q = true, .w_k = true}, lr, 50), walks.at("WQ_WK"));
  numbers += compare(toy_walk(toy_base(), all, lr, 50), walks.at("all"));
  numbers += compare(toy_walk(toy_variant_b(), query, lr, 50), golden["variant_B"]["walk_only_WQ"]);
  numbers += compare(toy_walk(toy_variant_c(), query, lr, 50), golden["variant_C"]["walk_only_WQ"]);
  numbers += compare(toy_walk(toy_variant_c(), all, lr, 50), golden["variant_C"]["walk_all"]);
  EXPECT_EQ(numbers, 8736);
}

TEST(Toy4d, FormulasDifferencesAndAutogradAgree) {
  for (const Toy& toy : {toy_base(), toy_variant_b(), toy_variant_c()}) {
    const ToyState s = toy_state(toy);
    const std::map<std::string, Tensor> autograd = {{"logits", s.dlogits}, {"output", s.doutput},
                                                    {"z", s.dz},           {"q", s.dq},
                                                    {"k", s.dk},           {"v", s.dv},
                                                    {"W_Q", s.dw_q},       {"W_K", s.dw_k},
                                                    {"W_V", s.dw_v},       {"C", s.dc}};
    const auto formulas = toy_formulas(s);
    ASSERT_EQ(formulas.size(), autograd.size());
    for (const auto& [name, gradient] : autograd) {
      EXPECT_EQ(test::difference(formulas.at(name), gradient, 0, 1e-15), "") << name;
      EXPECT_EQ(test::difference(toy_difference(toy, name), gradient, 0, 1e-9), "") << name;
    }
  }
}

TEST(Toy4d, SwappedValuesExchangeNum1AndNum2Alone) {
  const ToyState base = toy_state(toy_base());
  const ToyState swapped = toy_state(with_swapped_values(toy_base()));
  EXPECT_EQ(test::difference(select(swapped.v, 0, 1), select(base.v, 0, 2), 0, 1e-15), "");
  EXPECT_EQ(test::difference(select(swapped.v, 0, 2), select(base.v, 0, 1), 0, 1e-15), "");
  EXPECT_EQ(test::difference(select(swapped.v, 0, 0), select(base.v, 0, 0), 0, 0), "");
  EXPECT_EQ(test::difference(swapped.z, base.z, 0, 0), "");
}

TEST(Toy4d, ADifferenceOfAnUnknownValueIsAnError) {
  EXPECT_THAT([] { toy_difference(toy_base(), "x"); },
              testing::ThrowsMessage<std::invalid_argument>("toy_difference: no value called x"));
}

}  // namespace
}  // namespace gradwalk::tasks
