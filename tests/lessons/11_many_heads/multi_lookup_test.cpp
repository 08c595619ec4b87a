#include "lessons/11_many_heads/multi_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "lessons/tasks/expect_three_times.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"

namespace gradwalk::lesson_11 {
namespace {

using testing::ThrowsMessage;

TEST(DrawMultiLookup, AsksForDifferentCardsOfThePageInAnyOrder) {
  Generator generator(1, "pages");
  const tasks::DictionarySizes sizes{.keys = 6, .values = 3, .entries = 4};
  const MultiLookupBatch batch = draw_multi_lookup(300, 2, sizes, generator);
  std::set<std::pair<double, double>> orders;
  for (std::int64_t page = 0; page < 300; ++page) {
    for (std::int64_t question = 0; question < 2; ++question) {
      const auto place = static_cast<std::int64_t>(batch.places.at({page, question}));
      EXPECT_EQ(batch.queries.at({page, question}), batch.keys.at({page, place}));
      EXPECT_EQ(batch.answers.at({page, question}), batch.values.at({page, place}));
    }
    orders.emplace(batch.places.at({page, 0}), batch.places.at({page, 1}));
  }
  EXPECT_EQ(orders.size(), 12U) << "4 * 3 ordered pairs of different cards";
}

TEST(DrawMultiLookupError, AsksForNoMoreThanThereIs) {
  EXPECT_THAT(
      [] {
        Generator generator(1, "pages");
        draw_multi_lookup(1, 3, {.keys = 4, .values = 2, .entries = 2}, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "draw_multi_lookup: expected 1 <= questions <= entries, got 3 and 2"));
}

TEST(MultiLookupModel, TellsTheOrderOfItsQuestions) {
  const MultiLookupModel model(nn::Seed(1), {});
  EXPECT_EQ(model.num_parameters(), (16 + 16 + 2 * 16 + 1) * 32 + 4 * 32 * 32 + 2 * 16 * 32);
  Generator generator(1, "pages");
  MultiLookupBatch batch = model.draw(5, generator);
  nn::AttentionTrace trace;
  const Tensor logits = model(batch, &trace).value();
  EXPECT_EQ(logits.shape(), (Shape{5, 2, 16}));
  EXPECT_EQ(trace.weights.shape(), (Shape{5, 1, 9, 9}));
  batch.queries = index_select(batch.queries, 1, from_vector({1, 0}, {2}, DType::kInt64));
  EXPECT_NE(test::difference(model(batch).value(), logits, 1e-3), "");
}

TEST(TrainMultiLookup, OneQuestionNeedsOneHead) {
  const MultiLookupModel model(nn::Seed(2), {.questions = 1});
  Generator pages(2, "pages");
  EXPECT_LT(multi_lookup_score(model, 256, pages).each, 0.3);
  const std::vector<double> losses = train_multi_lookup(model, {.steps = 250}, pages);
  EXPECT_EQ(losses.size(), 250U);
  const MultiLookupScore score = multi_lookup_score(model, 256, pages);
  EXPECT_GT(score.each, 0.8);
  EXPECT_EQ(score.each, score.all);
  EXPECT_EQ(score.each, score.set);
}

// With weights of 0 every logit is 0 and every guess is class 0.
TEST(MultiLookupScore, CountsAnswersPagesAndSets) {
  MultiLookupModel::Options options;
  options.dictionary.sizes.values = 2;
  MultiLookupModel model(nn::Seed(1), options);
  nn::StateDict state;
  for (const auto& [name, tensor] : model.state_dict()) state.emplace_back(name, tensor * 0.0);
  model.load_state_dict(state);
  Generator pages(1, "pages");
  const MultiLookupScore score = multi_lookup_score(model, 1000, pages);
  EXPECT_NEAR(score.each, 0.5, 0.06);
  EXPECT_NEAR(score.all, 0.25, 0.06);
  EXPECT_NEAR(score.set, 0.75, 0.06);
}

TEST(MultiLookupModel, TakesTheGainOfQueriesAndKeys) {
  test::expect_three_times(MultiLookupModel(nn::Seed(3), {.dictionary = {.query_key_gain = 3}}),
                           MultiLookupModel(nn::Seed(3), {}), 2);
}

}  // namespace
}  // namespace gradwalk::lesson_11
