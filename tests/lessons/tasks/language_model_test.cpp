#include "lessons/tasks/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lessons/tasks/grammar.h"
#include "tensor/inplace.h"

namespace gradwalk::tasks {
namespace {

LanguageModelOptions small(std::int64_t steps) {
  LanguageModelOptions options;
  options.d_model = 16;
  options.layers = 1;
  options.heads = 2;
  options.steps = steps;
  options.batch = 4;
  options.context = 12;
  options.train_words = 3000;
  options.test_words = 600;
  return options;
}

std::vector<double> values(const nn::CausalLm& model) {
  std::vector<double> all;
  for (const auto& [name, tensor] : model.state_dict()) {
    for (const double value : tensor.to_vector()) all.push_back(value);
  }
  return all;
}

TEST(LanguageModel, LearnsTheGrammar) {
  LanguageModelOptions options = small(400);
  options.lr = 1e-2;
  const TrainedLanguageModel trained = trained_language_model(options, 1);
  ASSERT_EQ(trained.losses.size(), 400U);
  EXPECT_NEAR(trained.losses[0], std::log(40.0), 0.9);
  const double loss = language_model_loss(*trained.model, test_text(options, 1), options.context);
  EXPECT_LT(loss, 1.8);  // ln 40 = 3.7 before
  EXPECT_GT(loss, grammar_entropy().nats_per_word);
}

// Whatever was asked for before, and in which order.
TEST(LanguageModel, AStopOnTheWayChangesNoBit) {
  LanguageModelOptions options = small(20);
  const auto straight = trained_language_model(options, 5);
  options.lr = 3.0000001e-3;  // another entry of the memo, and as good as the same training
  const auto other = trained_language_model(options, 5);
  EXPECT_NE(values(*straight.model), values(*other.model));

  LanguageModelOptions longer = small(40);
  const auto whole = trained_language_model(longer, 6);  // 40 first, then 10, 25, 40
  for (const std::int64_t steps : {10, 25, 40}) {
    const auto part = trained_language_model(small(steps), 6);
    EXPECT_EQ(part.losses, std::vector<double>(whole.losses.begin(), whole.losses.begin() + steps));
    EXPECT_EQ(values(*part.model) == values(*whole.model), steps == 40);
  }
  longer.test_words = 601;  // the memo does not know it
  const auto anew = trained_language_model(longer, 6);
  EXPECT_EQ(values(*anew.model), values(*whole.model));
}

TEST(LanguageModel, ACallerMayChangeItsModel) {
  const LanguageModelOptions options = small(5);
  const auto first = trained_language_model(options, 1);
  const std::vector<double> before = values(*first.model);
  for (const auto& [name, tensor] : first.model->state_dict()) mul_into(tensor, 0.0);
  EXPECT_EQ(values(*trained_language_model(options, 1).model), before);
}

TEST(LanguageModel, StartsAreToldApart) {
  const LanguageModelOptions options = small(0);
  const LanguageModelStart start{"zero", [](nn::CausalLm& model) {
                                   for (const auto& [name, tensor] : model.state_dict()) {
                                     if (name.ends_with("v_proj.weight")) mul_into(tensor, 0.0);
                                   }
                                 }};
  const auto changed = trained_language_model(options, 1, {}, start);
  EXPECT_NE(values(*changed.model), values(*trained_language_model(options, 1).model));
}

TEST(LanguageModel, VariantsAreWhatTheySay) {
  const nn::TokenBatch batch = text_windows(test_text(small(0), 1), 12, 3);
  EXPECT_EQ(batch.inputs.shape(), (Shape{3, 12}));
  EXPECT_EQ(batch.inputs.at({0, 1}), batch.targets.at({0, 0}));
  const auto map = [&](const LanguageModelOptions& options) {
    std::vector<nn::AttentionTrace> traces;
    nn::CausalLmContext context;
    context.traces = &traces;
    const auto model = new_language_model(options, 1);
    static_cast<void>((*model)(batch.inputs, context));
    return traces.at(0);
  };
  LanguageModelOptions uniform = small(0);
  uniform.scale = 0;
  EXPECT_NEAR(map(uniform).weights.value().at({0, 0, 3, 1}), 0.25, 1e-6);
  LanguageModelOptions sees_all = small(0);
  sees_all.causal = false;
  EXPECT_GT(map(sees_all).weights.value().at({0, 0, 3, 7}), 0);
  LanguageModelOptions tied = small(0);
  tied.tied_query_key = true;
  tied.causal = false;
  const Tensor scores = map(tied).scores.value();
  EXPECT_NEAR(scores.at({0, 1, 2, 5}), scores.at({0, 1, 5, 2}), 1e-5);

  LanguageModelOptions bigram = small(0);
  bigram.attention = false;
  bigram.positions = false;
  const auto model = new_language_model(bigram, 1);
  const Tensor logits = (*model)(batch.inputs).value();
  for (std::int64_t t = 0; t < 12; ++t) {  // what comes next depends on the word alone
    for (std::int64_t u = 0; u < t; ++u) {
      if (batch.inputs.at({0, t}) != batch.inputs.at({0, u})) continue;
      EXPECT_EQ(logits.at({0, t, 7}), logits.at({0, u, 7}));
    }
  }
}

}  // namespace
}  // namespace gradwalk::tasks
