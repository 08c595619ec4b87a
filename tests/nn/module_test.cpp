#include "nn/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "nn/dropout.h"
#include "nn/linear.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

class Part : public Module {
 public:
  explicit Part(double value) : weight(add_parameter("weight", vector({value, value}))) {
    add_module("drop", drop);
  }
  Variable weight;
  Dropout drop{0.5, Seed(1)};
};

// Two parts, the second tied to the first by its weight, and one of its own.
class Whole : public Module {
 public:
  Whole() {
    own = add_parameter("own", scalar(7));
    add_module("first", first);
    add_module("second", second);
    tied = share_parameter("tied", first.weight);
  }
  Part first{1};
  Part second{2};
  Variable own, tied;
};

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> all;
  for (const NamedParameter& parameter : module.named_parameters()) all.push_back(parameter.name);
  return all;
}

StateDict state(double first, double second, double own) {
  return {{"tied", vector({first, first})},
          {"second.weight", vector({second, second})},
          {"own", scalar(own)}};
}

TEST(Module, NamesAreJoinedByDotsInTheOrderOfAnnouncement) {
  const Part part(1);
  EXPECT_THAT(names(part), ElementsAre("weight"));
  const Whole whole;
  EXPECT_THAT(names(whole), ElementsAre("own", "tied", "second.weight"));
  EXPECT_EQ(whole.num_parameters(), 5);
}

// Listed twice, a tied weight would be moved twice by an optimizer.
TEST(Module, ASharedParameterStandsThereOnce) {
  const Whole whole;
  EXPECT_EQ(whole.parameters().size(), 3U);
  EXPECT_EQ(whole.tied.node(), whole.first.weight.node());
}

TEST(Module, ItsGeneratorsAreThoseOfItsParts) {
  Whole whole;
  const auto generators = whole.named_generators();
  ASSERT_EQ(generators.size(), 2U);
  EXPECT_EQ(generators[0].name, "first.drop.generator");
  EXPECT_EQ(generators[1].name, "second.drop.generator");
  const Tensor before = generators[0].generator->state();
  whole.first.drop(vector({1, 2, 3}));
  EXPECT_NE(generators[0].generator->state().to_vector(), before.to_vector());
}

TEST(Module, StateDictIsAViewOnTheParameters) {
  const Whole whole;
  const StateDict values = whole.state_dict();
  ASSERT_EQ(values.size(), 3U);
  fill(values[0].second, 9);
  EXPECT_EQ(whole.own.value().item(), 9);
}

TEST(Module, LoadsValuesInAnyOrderAndConverts) {
  Whole whole;
  StateDict values = state(3, 4, 5);
  values[2].second = to(values[2].second, DType::kFloat64);
  const Variable before = whole.own;
  whole.load_state_dict(values);
  EXPECT_EQ(before.value().item(), 5);  // the same variable: an optimizer's handle stays good
  EXPECT_EQ(before.value().dtype(), DType::kFloat32);
  EXPECT_THAT(whole.first.weight.value().to_vector(), ElementsAre(3, 3));
  EXPECT_THAT(whole.second.weight.value().to_vector(), ElementsAre(4, 4));
}

TEST(ModuleError, NamesThatDoNotFitAreAllListedAndNothingIsWritten) {
  Whole whole;
  StateDict values = state(3, 4, 5);
  values[1].first = "third.weight";
  values.push_back(values[0]);
  EXPECT_THAT([&] { whole.load_state_dict(values); },
              ThrowsMessage<std::invalid_argument>(
                  "load_state_dict: expected each parameter of the module once, got tied twice; no "
                  "second.weight; third.weight, which it does not have"));
  EXPECT_THAT(whole.first.weight.value().to_vector(), ElementsAre(1, 1));
}

TEST(ModuleError, AShapeThatDoesNotFitIsNamedAndNothingIsWritten) {
  Whole whole;
  StateDict values = state(3, 4, 5);
  values[2].second = zeros({1, 2});
  EXPECT_THAT([&] { whole.load_state_dict(values); },
              ThrowsMessage<ShapeError>("load_state_dict: expected own [], got [1, 2]"));
  EXPECT_THAT(whole.first.weight.value().to_vector(), ElementsAre(1, 1));
}

TEST(Module, TrainingReachesEveryPart) {
  Whole whole;
  EXPECT_TRUE(whole.training());
  whole.eval();
  EXPECT_FALSE(whole.second.drop.training());
  whole.train();
  EXPECT_TRUE(whole.first.drop.training());
}

TEST(Module, ZeroGradForgetsAll) {
  const Whole whole;
  backward(sum(whole.tied * whole.second.weight) * whole.own);
  EXPECT_TRUE(whole.own.grad().defined());
  whole.zero_grad();
  for (const Variable& parameter : whole.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

}  // namespace
}  // namespace gradwalk::nn
