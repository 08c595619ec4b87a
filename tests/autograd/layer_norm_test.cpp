#include "autograd/layer_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::Each;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(3, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

Variable all_three(Inputs in) { return layer_norm(in[0], in[1], in[2]); }

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 3, 4});
  ops.push_back({"layer_norm",
                 "gamma and beta",
                 [](test::OpInputs in) { return layer_norm(in[0], in[1], in[2]); },
                 {x, test::random({4}), test::positive({4})},
                 true});
  ops.push_back(
      {"layer_norm", "bare", [](test::OpInputs in) { return layer_norm(in[0]); }, {x}, true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"layer_norm", {test::wide(), {517}, {517}}, [](test::OpInputs in) {
                     return layer_norm(in[0], in[1], in[2]);
                   }});
});

TEST(LayerNormGrad, OfEveryInput) {
  expect_gradient("layer_norm", all_three, {random({2, 3, 5}), random({5}), random({5})});
  expect_gradient("layer_norm", all_three, {random({7}), random({7}), random({7})});
  expect_gradient("layer_norm", all_three, {random({3, 19}), random({19}), random({19})});
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0], in[1], in[2], 0.5); },
                  {random({2, 4}), random({4}), random({4})});
}

TEST(LayerNormGrad, WithoutGammaOrBeta) {
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0]); }, {random({3, 4})});
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0], in[1]); },
                  {random({3, 4}), random({4})});
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0], {}, in[1]); },
                  {random({3, 4}), random({4})});
  // A tensor that is not there, where a variable is asked for.
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0], Tensor(), Tensor()); },
                  {random({3, 4})});
}

TEST(LayerNormGrad, OfStridedAndBroadcastInputs) {
  const Tensor feature = slice(random({9}), 0, 1, 9, 2);
  expect_gradient("layer_norm", all_three, {transpose(random({4, 3})), feature, feature});
  expect_gradient("layer_norm", all_three, {slice(random({3, 8}), 1, 0, 8, 2), feature, feature});
  expect_gradient("layer_norm", all_three,
                  {expand(random({1, 4}), {3, 4}), feature, expand(random({1}), {4})});
  expect_gradient("layer_norm", all_three,
                  {permute(random({4, 2, 3}), {2, 1, 0}), expand(random({}), {4}), feature});
}

TEST(LayerNormGrad, OfASharedInput) {
  expect_gradient("layer_norm", [](Inputs in) { return layer_norm(in[0], in[0], in[0]); },
                  {random({6})});
}

// One feature is always beta: nothing flows to x or gamma.
TEST(LayerNormGrad, OfOneFeature) {
  const Variable x = parameter(random({3, 1}));
  const Variable gamma = parameter(random({1}));
  const Variable beta = parameter(random({1}));
  backward(layer_norm(x, gamma, beta), ones({3, 1}, DType::kFloat64));
  EXPECT_THAT(x.grad().to_vector(), Each(0));
  EXPECT_THAT(gamma.grad().to_vector(), Each(0));
  EXPECT_THAT(beta.grad().to_vector(), Each(3));
}

// Through the graph: a variance in one pass that lost rows far from zero in float32 (BR-18), and an
// eps in the wrong place, which a large one shows (BR-19).
TEST(LayerNormGrad, BugReports) {
  for (const char* id : {"BR-18", "BR-19"}) {
    const auto report = test::bug_report(id);
    GRADWALK_SKIP_WITHOUT(report);
    const bool is_float32 = report["inputs"].contains("dtype");
    const DType dtype = is_float32 ? DType::kFloat32 : DType::kFloat64;
    const double rtol = is_float32 ? 1e-4 : 1e-9;
    const double atol = is_float32 ? 1e-4 : 1e-11;
    const auto read = [&](const char* name) {
      return test::tensor_from(report["inputs"][name], dtype);
    };
    const Variable x = parameter(read("x"));
    const Variable gamma = parameter(read("gamma"));
    const Variable beta = parameter(read("beta"));
    const Variable y = layer_norm(x, gamma, beta, report["inputs"]["eps"].get<double>());
    backward(y, read("upstream"));
    const auto holds = [&](const Tensor& got, const char* name) {
      if (!report["expected"].contains(name)) return;
      EXPECT_EQ(test::difference(got, test::tensor_from(report["expected"][name]), rtol, atol), "")
          << id << " " << name;
    };
    holds(y.value(), "out");
    holds(x.grad(), "grad_x");
    holds(gamma.grad(), "grad_gamma");
    holds(beta.grad(), "grad_beta");
  }
}

TEST(LayerNormGrad, StaleInputsAreErrorsButForBeta) {
  const std::string text =
      "layer_norm: expected the value saved for backward unchanged, got 1 in-place write since; "
      "saved=";
  const Tensor dy = ones({2, 3}, DType::kFloat64);
  const Variable x = parameter(random({2, 3}));
  const Variable gamma = parameter(random({3}));
  const Variable beta = parameter(zeros({3}, DType::kFloat64));
  const Variable first = layer_norm(x, gamma, beta);
  add_into(select(x.value(), 1, 0), 1);
  EXPECT_THAT([&] { backward(first, dy); }, ThrowsMessage<std::logic_error>(text + "[2, 3]"));
  const Variable second = layer_norm(x, gamma, beta);
  mul_into(gamma.value(), 2);
  EXPECT_THAT([&] { backward(second, dy); }, ThrowsMessage<std::logic_error>(text + "[3]"));
  EXPECT_FALSE(x.grad().defined() || gamma.grad().defined() || beta.grad().defined());
  const Variable third = layer_norm(x, gamma, beta);
  add_into(beta.value(), 1);
  mul_into(third.value(), 2);
  backward(third, dy);
  EXPECT_THAT(beta.grad().to_vector(), Each(2));
}

TEST(LayerNormGrad, OnlyWhereItIsWanted) {
  const Variable gamma = parameter(random({3}));
  const Variable y = layer_norm(random({2, 3}), gamma, random({3}));
  EXPECT_STREQ(y.op(), "layer_norm");
  backward(y, ones({2, 3}, DType::kFloat64));
  EXPECT_TRUE(gamma.grad().defined());
  EXPECT_FALSE(layer_norm(Variable(random({2, 3}))).requires_grad());
}

}  // namespace
}  // namespace gradwalk
