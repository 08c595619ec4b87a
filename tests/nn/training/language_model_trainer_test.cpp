#include "nn/training/language_model_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/training/gpt.h"
#include "tensor/create.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

LanguageModelTraining options() {
  LanguageModelTraining o;
  o.batch = 3;
  o.context = 6;
  o.schedule = {.lr = 1e-2, .min_lr = 1e-3, .warmup = 4, .steps = 20};
  o.eval_batches = 2;
  return o;
}

// abcabd... : what comes next can be learned.
TokenSplit text() {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 100; ++i) ids.insert(ids.end(), {0, 1, i % 2 + 2});
  return split_tokens(ids);
}

struct Life {
  std::unique_ptr<CausalLm> model = make_gpt({.vocab_size = 4,
                                              .d_model = 8,
                                              .num_layers = 2,
                                              .num_heads = 2,
                                              .max_positions = 6,
                                              .dropout = 0.2},
                                             Seed(3));
  LanguageModelTrainer trainer{*model, text(), options()};

  std::vector<double> updates(int count) {
    std::vector<double> numbers;
    for (int i = 0; i < count; ++i) {
      const auto update = trainer.update();
      numbers.insert(numbers.end(), {update.loss, update.grad_norm});
    }
    return numbers;
  }
};

void expect_same_bits(const StateDict& got, const StateDict& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, want[i].first);
    EXPECT_EQ(got[i].second.dtype(), want[i].second.dtype()) << got[i].first;
    EXPECT_EQ(got[i].second.to_vector(), want[i].second.to_vector()) << got[i].first;
  }
}

StateDict copied(const StateDict& state) {
  StateDict copy;
  for (const auto& [name, tensor] : state) copy.emplace_back(name, clone(tensor));
  return copy;
}

TEST(LanguageModelTrainer, TwentyStepsEqualTenSavedLoadedAndTenMore) {
  test::Folder folder;
  Life straight;
  const std::vector<double> whole = straight.updates(20);
  std::vector<double> parts;
  {
    Life first;
    parts = first.updates(10);
    save_safetensors(folder / "state", first.trainer.state_dict());
  }
  Life second;
  second.updates(3);  // whatever it did before is forgotten
  StateDict state;
  const Safetensors file(folder / "state");
  for (const SafetensorsEntry& entry : file.entries()) {
    state.emplace_back(entry.name, file.load(entry.name));
  }
  second.trainer.load_state_dict(state);
  EXPECT_EQ(second.trainer.step(), 10);
  for (const double number : second.updates(10)) parts.push_back(number);
  EXPECT_EQ(parts, whole);
  expect_same_bits(second.trainer.state_dict(), straight.trainer.state_dict());
  EXPECT_EQ(second.trainer.evaluate().validation, straight.trainer.evaluate().validation);
}

TEST(LanguageModelTrainer, EvaluationIsRepeatableAndChangesNothing) {
  Life with, without;
  const auto first = with.trainer.evaluate();
  const auto second = with.trainer.evaluate();
  EXPECT_EQ(first.train, second.train);
  EXPECT_EQ(first.validation, second.validation);
  EXPECT_NE(first.train, first.validation);
  EXPECT_NEAR(first.train, std::log(4.0), 0.1);  // nothing is known yet
  EXPECT_TRUE(with.model->training());
  EXPECT_EQ(with.updates(3), without.updates(3));
}

// Two of three characters are certain, the third is one of two in turn: with six characters in view
// that is certain too, and without any ln(2) / 3 = 0.23 would be the best.
TEST(LanguageModelTrainer, Learns) {
  LanguageModelTraining o = options();
  o.schedule = {.lr = 0.03, .min_lr = 0.003, .warmup = 10, .steps = 150};
  const auto model = make_gpt(
      {.vocab_size = 4, .d_model = 16, .num_layers = 1, .num_heads = 2, .max_positions = 6},
      Seed(3));
  LanguageModelTrainer trainer(*model, text(), o);
  while (trainer.step() < 150) trainer.update();
  EXPECT_LT(trainer.evaluate().validation, 0.3);
}

TEST(LanguageModelTrainer, DecaysTablesAndMatricesOnly) {
  LanguageModelTraining o = options();
  o.schedule = {.lr = 0.1, .min_lr = 0.1};
  o.adamw.weight_decay = 1;
  o.adamw.eps = 1e30;  // so that gradients move nothing
  const auto model =
      make_gpt({.vocab_size = 4, .d_model = 8, .num_layers = 1, .num_heads = 2, .max_positions = 6},
               Seed(3));
  const StateDict before = copied(model->state_dict());
  LanguageModelTrainer trainer(*model, text(), o);
  trainer.update();
  const StateDict after = model->state_dict();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Tensor want = clone(before[i].second);
    if (want.ndim() > 1) mul_into(want, 0.9);
    for (std::int64_t j = 0; j < want.numel(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      EXPECT_NEAR(after[i].second.to_vector()[at], want.to_vector()[at], 1e-7) << after[i].first;
    }
  }
}

TEST(LanguageModelTrainer, ANumberThatIsNotFiniteMovesNothing) {
  Life life;
  life.updates(1);
  fill(life.model->parameters()[0].value(), HUGE_VAL);
  const StateDict before = copied(life.model->state_dict());
  EXPECT_TRUE(std::isnan(life.trainer.update().loss));
  EXPECT_EQ(life.trainer.step(), 1);
  expect_same_bits(life.model->state_dict(), before);
}

TEST(LanguageModelTrainer, RefusesWhatDoesNotFit) {
  const auto model = make_gpt({.vocab_size = 4, .max_positions = 6}, Seed(3));
  LanguageModelTraining o = options();
  o.batch = 0;
  EXPECT_THAT(
      [&] { LanguageModelTrainer(*model, text(), o); },
      ThrowsMessage<std::invalid_argument>(
          "LanguageModelTrainer: expected batch, context, eval_batches >= 1, got 0, 6 and 2"));
  o = options();
  EXPECT_THAT(
      [&] {
        LanguageModelTrainer(*model, {std::vector<std::int64_t>(9), {1, 2, 3}}, o);
      },
      ThrowsMessage<std::invalid_argument>("LanguageModelTrainer: expected both parts of the text "
                                           "longer than 6 tokens, got 9 and 3"));
}

class BadTrainerState : public testing::Test {
 protected:
  BadTrainerState() {
    life_.updates(2);
    state_ = copied(life_.trainer.state_dict());
  }
  Tensor& at(const std::string& name) {
    for (auto& [key, tensor] : state_) {
      if (key == name) return tensor;
    }
    throw std::logic_error(name);
  }
  void expect_error(const std::string& text) {
    Life other;
    other.updates(1);
    const StateDict before = copied(other.trainer.state_dict());
    EXPECT_THAT([&] { other.trainer.load_state_dict(state_); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(text)));
    expect_same_bits(other.trainer.state_dict(), before);
  }

  Life life_;
  StateDict state_;
};

TEST_F(BadTrainerState, LeavesEverythingAsItWas) {
  const StateDict right = state_;
  at("model.norm.weight") = zeros({9});
  expect_error("load_state_dict: expected norm.weight [8], got [9]");
  state_ = right;
  at("optimizer.norm.weight.step") = scalar(0, DType::kInt64);
  expect_error("AdamW::load_state_dict: expected norm.weight.step >= 1, got 0");
  state_ = right;
  at("generator.model.layers.1.mlp_dropout.generator") = Generator(9, "another").state();
  expect_error("Generator::set_state: expected a state of the stream");
  state_ = right;
  at("step") = scalar(-1, DType::kInt64);
  expect_error("expected step, int64 [] >= 0, got ");
  state_ = right;
  state_.emplace_back("more", zeros({1}));
  expect_error("LanguageModelTrainer::load_state_dict: expected tensors of a trainer, got more");
  state_ = right;
  std::erase_if(state_, [](const auto& entry) { return entry.first == "generator.batches"; });
  expect_error("expected a tensor generator.batches, got none");
  state_ = right;
  state_.emplace_back("step", scalar(2, DType::kInt64));
  expect_error("expected each name once, got step twice");
}

}  // namespace
}  // namespace gradwalk::nn
