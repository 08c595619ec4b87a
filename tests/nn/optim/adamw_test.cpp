#include "nn/optim/adamw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/golden_arrays.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ThrowsMessage;

AdamWOptions options(double lr, double weight_decay) {
  AdamWOptions result;
  result.lr = lr;
  result.weight_decay = weight_decay;
  return result;
}

// 1000 steps of a small regression. The file has two results, 5e-6 apart: one decays after the
// update, the other by a rounded 1 - lr decay. Ours decays the old weight, as the paper does, and
// lies between. Decay through the gradient would be 2.5e-3 off, no decay 3.9e-3.
TEST(AdamW, ThousandStepsEndWhereTheGoldensDo) {
  const auto arrays = test::golden_arrays("adamw_1000_steps.safetensors");
  GRADWALK_SKIP_WITHOUT_ARRAYS(arrays);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Variable w = parameter(clone(to(arrays.at("w0"), dtype)));
    const Tensor inputs = to(arrays.at("x"), dtype);
    AdamW adamw({w}, options(1e-3, 0.01));
    for (std::int64_t i = 0; i < inputs.shape()[0]; ++i) {
      const Tensor x = select(inputs, 0, i);
      const Tensor y = vector({x.at({0}) + x.at({1}), -x.at({2})}, dtype);
      adamw.zero_grad();
      const Variable miss = Variable(unsqueeze(y, 1)) - matmul(w, Variable(unsqueeze(x, 1)));
      backward(sum(miss * miss));
      adamw.step();
    }
    EXPECT_EQ(test::difference(w.value(), to(arrays.at("expected"), dtype), 0, 4e-6), "");
    EXPECT_EQ(test::difference(w.value(), to(arrays.at("expected_decoupled"), dtype), 0, 6e-6), "");
  }
}

// Decay that is added to the gradient is divided away with it: a weight of 3 with zero gradient
// fell by lr, not by lr * decay * 3. And what stands in the group without decay, or has no
// gradient, has to stay where it is. (BR-31)
TEST(AdamW, DecaysByGroup) {
  const auto report = test::bug_report("BR-31");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const auto& want = report["expected"];
  const auto three = [&] { return parameter(test::tensor_from(in["parameter"])); };
  const Variable decays = three();
  const Variable stays = three();
  const Variable idle = three();
  AdamW adamw({{{decays, idle}, in["weight_decay"].get<double>()}, {{stays}, 0}},
              options(in["lr"], 0.9));
  for (std::size_t i = 0; i < 2; ++i) {
    adamw.zero_grad();
    backward(decays * 0.0 + stays * 0.0);
    adamw.step();
    EXPECT_NEAR(decays.value().item(), want["parameter_after_each_step"][i].get<double>(), 1e-11);
    EXPECT_NEAR(stays.value().item(), want["a_no_decay_parameter"][i].get<double>(), 0);
  }
  EXPECT_EQ(idle.value().item(), 3);
}

// A gradient that comes late starts with the bias correction of its own first step.
TEST(AdamW, CountsTheStepsOfEachParameter) {
  const Variable early = parameter(scalar(1, DType::kFloat64));
  const Variable late = parameter(scalar(1, DType::kFloat64));
  AdamW adamw({early, late}, options(0.1, 0));
  backward(early * 0.5);
  adamw.step();
  adamw.zero_grad();
  backward(late * 0.5);
  adamw.step();
  EXPECT_EQ(late.value().item(), early.value().item());
  EXPECT_NEAR(late.value().item(), 0.9, 1e-8);
}

TEST(AdamW, LearningRateMayChange) {
  const Variable w = parameter(scalar(1, DType::kFloat64));
  AdamW adamw({w}, options(0.1, 0));
  adamw.set_lr(0.2);
  EXPECT_EQ(adamw.lr(), 0.2);
  backward(w * 3.0);
  adamw.step();
  EXPECT_THAT(w.value().to_vector(), ElementsAre(DoubleNear(0.8, 1e-8)));
  EXPECT_THAT([&] { adamw.set_lr(-1); },
              ThrowsMessage<std::invalid_argument>("AdamW: expected a finite lr >= 0, got -1"));
  EXPECT_EQ(adamw.lr(), 0.2);
}

// A tied weight that is listed under both of its names decayed and moved twice in one step. (BR-48)
TEST(AdamWError, ParametersTwiceConstantsAndOptions) {
  const Variable w = parameter(vector({1, 2}));
  EXPECT_THAT(
      [&] {
        AdamW({{{w}, 0.1}, {{w}, 0}}, AdamWOptions());
      },
      ThrowsMessage<std::invalid_argument>("AdamW: expected each parameter once, got one at 0 and "
                                           "1; parameter=[2]"));
  EXPECT_THAT([&] { AdamW({Variable(zeros({3}))}); },
              ThrowsMessage<std::invalid_argument>("AdamW: expected parameters that need a "
                                                   "gradient, got a constant at 0; parameter=[3]"));
  EXPECT_THAT(
      [&] {
        AdamW({{{w}, -1}}, AdamWOptions());
      },
      ThrowsMessage<std::invalid_argument>("AdamW: expected a finite weight_decay >= 0, got -1"));
}

}  // namespace
}  // namespace gradwalk::nn
