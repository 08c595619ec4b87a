#include "lessons/tasks/dictionary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(DrawDictionary, AsksForACardOfThePage) {
  Generator generator(1, "pages");
  const DictionarySizes sizes{.keys = 5, .values = 3, .entries = 4};
  const DictionaryBatch batch = draw_dictionary(200, sizes, generator);
  std::set<double> keys, values, places;
  for (std::int64_t page = 0; page < 200; ++page) {
    std::set<double> on_page;
    for (std::int64_t card = 0; card < 4; ++card) {
      on_page.insert(batch.keys.at({page, card}));
      values.insert(batch.values.at({page, card}));
    }
    EXPECT_EQ(on_page.size(), 4U) << "keys differ within a page";
    keys.insert(on_page.begin(), on_page.end());
    const auto place = static_cast<std::int64_t>(batch.places.at({page}));
    places.insert(static_cast<double>(place));
    EXPECT_EQ(batch.query.at({page}), batch.keys.at({page, place}));
    EXPECT_EQ(batch.answer.at({page}), batch.values.at({page, place}));
  }
  EXPECT_THAT(keys, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(values, ElementsAre(0, 1, 2));
  EXPECT_THAT(places, ElementsAre(0, 1, 2, 3));
}

TEST(DrawDictionaryError, NeedsEnoughKeys) {
  EXPECT_THAT(
      [] {
        Generator generator(1, "pages");
        draw_dictionary(1, {.keys = 3, .values = 2, .entries = 4}, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "draw_dictionary: expected keys >= entries >= 1 and values >= 1, got 3, 4 and 2"));
}

TEST(DrawDictionary, AsksForTheKeyBehindTheQuestion) {
  Generator generator(1, "pages");
  const DictionarySizes sizes{.keys = 5, .values = 3, .entries = 4, .shift = 1};
  const DictionaryBatch batch = draw_dictionary(100, sizes, generator);
  std::set<double> asked;
  for (std::int64_t page = 0; page < 100; ++page) {
    const auto place = static_cast<std::int64_t>(batch.places.at({page}));
    const auto query = static_cast<std::int64_t>(batch.query.at({page}));
    EXPECT_EQ((query + 1) % 5, batch.keys.at({page, place}));
    EXPECT_EQ(batch.answer.at({page}), batch.values.at({page, place}));
    asked.insert(batch.query.at({page}));
  }
  EXPECT_THAT(asked, ElementsAre(0, 1, 2, 3, 4));
}

TEST(DrawDictionaryError, NeedsAShiftBelowTheNumberOfKeys) {
  for (const std::int64_t shift : {-1, 4}) {
    EXPECT_THAT(
        [&] {
          Generator generator(1, "pages");
          draw_dictionary(1, {.keys = 4, .values = 2, .entries = 4, .shift = shift}, generator);
        },
        ThrowsMessage<std::invalid_argument>(
            fmt::format("draw_dictionary: expected shift in [0, 4), got {}", shift)));
  }
}

TEST(AttentionAndReadout, AreAllButTheTables) {
  const DictionaryModel model(nn::Seed(1), {});
  std::int64_t numbers = 0;
  for (const Variable& one : attention_and_readout(model)) numbers += one.value().numel();
  EXPECT_EQ(numbers, 4 * 32 * 32 + 16 * 32);
}

TEST(DictionaryModel, BeginsWithTheVariancesOfTheTask) {
  const DictionaryModel model(nn::Seed(1), {});
  EXPECT_EQ(model.num_parameters(), (16 + 16 + 1) * 32 + 4 * 32 * 32 + 16 * 32);
  for (const auto& [name, tensor] : model.state_dict()) {
    const double variance = mean(tensor * tensor).item();
    if (name == "mark.weight") continue;  // too few numbers
    EXPECT_NEAR(variance, name.find("embedding") != std::string::npos ? 0.49 : 1.0 / 32,
                variance * 6 * std::sqrt(2.0 / static_cast<double>(tensor.numel())))
        << name;
  }
}

TEST(DictionaryModel, ReadsTheQuestionLast) {
  const DictionaryModel model(nn::Seed(1), {});
  Generator generator(1, "pages");
  const DictionaryBatch batch = draw_dictionary(3, model.options().sizes, generator);
  nn::AttentionTrace trace;
  EXPECT_EQ(model(batch, &trace).shape(), (Shape{3, 16}));
  EXPECT_EQ(model.inputs(batch).shape(), (Shape{3, 9, 32}));
  EXPECT_EQ(test::difference(model(batch).value(), model(batch, &trace).value(), 1e-4, 1e-5), "");
  const Tensor first_row = select(select(trace.weights.value(), 1, 0), 1, 0);  // [3, 9]
  EXPECT_EQ(sum(slice(first_row, 1, 1, 9)).item(), 0) << "a card does not see those behind it";
}

TEST(TrainDictionary, LearnsAndMovesOnlyWhatItIsGiven) {
  const DictionaryModel model(nn::Seed(2), {});
  const Tensor table = clone(model.state_dict()[0].second);
  Generator pages(2, "pages");
  EXPECT_LT(dictionary_accuracy(model, 256, pages), 0.3);
  int told = 0;
  const std::vector<double> losses =
      train_dictionary(model, attention_and_readout(model),
                       {.steps = 150, .progress = [&](int done) { told = done; }}, pages);
  EXPECT_EQ(losses.size(), 150U);
  EXPECT_EQ(told, 150);
  EXPECT_EQ(test::difference(model.state_dict()[0].second, table, 0), "");
  EXPECT_LT(losses.back(), 0.7);
  EXPECT_GT(dictionary_accuracy(model, 256, pages), 0.8);
}

TEST(DictionaryModel, NormalisesItsInputsIfAsked) {
  const DictionaryModel model(nn::Seed(1), {.layer_norm = true});
  Generator generator(1, "pages");
  const Tensor x = model.inputs(draw_dictionary(2, {}, generator)).value();
  EXPECT_NEAR(mean(x).item(), 0, 1e-6);
  EXPECT_NEAR(mean(x * x).item(), 1, 1e-3);
  EXPECT_EQ(model.num_parameters(), DictionaryModel(nn::Seed(1), {}).num_parameters());
}

}  // namespace
}  // namespace gradwalk::tasks
