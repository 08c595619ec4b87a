#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "nn/optim/adamw.h"
#include "tensor/create.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Two parameters, the second of which has no gradient in the first steps.
struct Problem {
  Variable a = parameter(from_vector({1, -2, 3}, {3}));
  Variable b = parameter(from_vector({0.5, 0.25}, {1, 2}));
  std::vector<NamedParameter> names{{"a", a}, {"b", b}};
  AdamW adamw{{ParameterGroup{{a}, 0.1}, ParameterGroup{{b}, 0}}, {.lr = 0.05}};

  void steps(int count, bool with_b) {
    for (int i = 0; i < count; ++i) {
      adamw.zero_grad();
      backward(with_b ? sum(a * a) + sum(exp(b)) : sum(a * a));
      adamw.step();
    }
  }
  std::vector<double> values() const {
    std::vector<double> all = a.value().to_vector();
    for (const double x : b.value().to_vector()) all.push_back(x);
    return all;
  }
};

StateDict copied(const StateDict& state) {
  StateDict copy;
  for (const auto& [name, tensor] : state) copy.emplace_back(name, clone(tensor));
  return copy;
}

std::vector<std::string> names_of(const StateDict& state) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state) names.push_back(name);
  return names;
}

TEST(AdamWState, NamesAsPyTorchDoesAndOnlyWhatMoved) {
  Problem problem;
  EXPECT_THAT(names_of(problem.adamw.state_dict(problem.names)), ElementsAre("lr"));
  problem.steps(3, /*with_b=*/false);
  const StateDict state = problem.adamw.state_dict(problem.names);
  EXPECT_THAT(names_of(state), ElementsAre("lr", "a.exp_avg", "a.exp_avg_sq", "a.step"));
  EXPECT_EQ(state[0].second.item(), 0.05);
  EXPECT_EQ(state[3].second.item(), 3);
  EXPECT_EQ(state[3].second.dtype(), DType::kInt64);
}

TEST(AdamWState, GoesOnToTheSameBits) {
  Problem straight;
  straight.steps(4, /*with_b=*/false);
  straight.adamw.set_lr(0.02);
  straight.steps(3, /*with_b=*/true);
  Problem resumed;
  copy_into(resumed.a.value(), straight.a.value());
  copy_into(resumed.b.value(), straight.b.value());
  resumed.steps(2, /*with_b=*/true);  // of another life: forgotten
  copy_into(resumed.a.value(), straight.a.value());
  copy_into(resumed.b.value(), straight.b.value());
  const StateDict state = straight.adamw.state_dict(straight.names);
  resumed.adamw.load_state_dict(resumed.names, state);
  EXPECT_EQ(resumed.adamw.lr(), 0.02);
  straight.steps(5, /*with_b=*/true);  // the loaded state is a copy: this does not move it
  resumed.steps(5, /*with_b=*/true);
  EXPECT_EQ(resumed.values(), straight.values());
}

TEST(AdamWState, ForgetsWhatTheStateDoesNotHave) {
  Problem fresh, other;
  const StateDict state = fresh.adamw.state_dict(fresh.names);
  other.steps(2, /*with_b=*/true);
  other.adamw.load_state_dict(other.names, state);
  EXPECT_THAT(names_of(other.adamw.state_dict(other.names)), ElementsAre("lr"));
}

class BadAdamWState : public testing::Test {
 protected:
  BadAdamWState() {
    problem_.steps(2, /*with_b=*/true);
    state_ = copied(problem_.adamw.state_dict(problem_.names));
  }
  Tensor& at(const std::string& name) {
    for (auto& [key, tensor] : state_) {
      if (key == name) return tensor;
    }
    throw std::logic_error(name);
  }
  void expect_error(const std::string& text) {
    Problem other;
    other.steps(3, /*with_b=*/true);
    const StateDict before = copied(other.adamw.state_dict(other.names));
    EXPECT_THAT([&] { other.adamw.load_state_dict(other.names, state_); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(text)));
    const StateDict after = other.adamw.state_dict(other.names);
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].second.to_vector(), before[i].second.to_vector()) << after[i].first;
    }
  }

  Problem problem_;
  StateDict state_;
};

TEST_F(BadAdamWState, NamesThatDoNotFit) {
  state_.emplace_back("lr", scalar(1, DType::kFloat64));
  state_.emplace_back("c.step", scalar(1, DType::kInt64));
  std::erase_if(state_, [](const auto& entry) { return entry.first == "b.exp_avg"; });
  expect_error(
      "AdamW::load_state_dict: expected lr, and of each parameter exp_avg, exp_avg_sq and step or "
      "none, got lr twice; no b.exp_avg; c.step, which it does not have");
}

TEST_F(BadAdamWState, ShapesDTypesAndNumbers) {
  const Tensor right = at("b.exp_avg_sq");
  at("b.exp_avg_sq") = zeros({2, 1});
  expect_error("AdamW::load_state_dict: expected b.exp_avg_sq [1, 2], got [2, 1]");
  at("b.exp_avg_sq") = to(right, DType::kFloat64);
  expect_error("AdamW::load_state_dict: expected b.exp_avg_sq float32, got float64");
  at("b.exp_avg_sq") = {};
  expect_error("AdamW::load_state_dict: expected tensors, got b.exp_avg_sq undefined");
  at("b.exp_avg_sq") = right;
  at("a.step") = scalar(0, DType::kInt64);
  expect_error("AdamW::load_state_dict: expected a.step >= 1, got 0");
  at("a.step") = scalar(1, DType::kInt64);
  at("lr") = scalar(-1, DType::kFloat64);
  expect_error("AdamW::load_state_dict: expected a finite lr >= 0, got -1");
}

TEST_F(BadAdamWState, AParameterWithoutAName) {
  const std::vector<NamedParameter> names{{"a", problem_.a}};
  EXPECT_THAT([&] { problem_.adamw.state_dict(names); },
              ThrowsMessage<std::invalid_argument>("AdamW::state_dict: expected a name for each "
                                                   "parameter, got none; parameter=[1, 2]"));
  EXPECT_THROW(problem_.adamw.load_state_dict(names, state_), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
