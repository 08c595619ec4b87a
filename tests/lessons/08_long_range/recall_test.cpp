#include "lessons/08_long_range/recall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "support.h"
#include "tensor/create.h"

namespace gradwalk::lesson_08 {
namespace {

using testing::ThrowsMessage;

TEST(DrawRecall, BeginsWithASymbolThatNothingElseRepeats) {
  Generator generator(1, "texts");
  const RecallSizes sizes{.symbols = 4, .distractors = 3, .length = 5};
  const RecallBatch batch = draw_recall(400, sizes, generator);
  std::map<double, int> symbols, words;
  for (std::int64_t row = 0; row < 400; ++row) {
    EXPECT_EQ(batch.tokens.at({row, 0}), batch.answer.at({row}));
    ++symbols[batch.answer.at({row})];
    for (std::int64_t t = 1; t < 5; ++t) ++words[batch.tokens.at({row, t})];
  }
  // 100 a symbol with standard deviation sqrt(400 * 3 / 16) = 8.7, 533 a word with sqrt(1600 * 2 /
  // 9) = 18.9; within 4 of them.
  for (const double symbol : {0.0, 1.0, 2.0, 3.0}) EXPECT_NEAR(symbols[symbol], 100, 35);
  for (const double word : {4.0, 5.0, 6.0}) EXPECT_NEAR(words[word], 1600.0 / 3, 76);
  EXPECT_EQ(symbols.size(), 4U);
  EXPECT_EQ(words.size(), 3U);
}

TEST(DrawRecall, CanEndWithTheSymbol) {
  Generator generator(1, "texts");
  const RecallBatch batch = draw_recall(20, {.length = 6, .symbol_last = true}, generator);
  for (std::int64_t row = 0; row < 20; ++row) {
    EXPECT_EQ(batch.tokens.at({row, 5}), batch.answer.at({row}));
    EXPECT_GE(batch.tokens.at({row, 0}), 8);
  }
}

TEST(DrawRecallError, NamesTheSizes) {
  EXPECT_THAT(
      [] {
        Generator generator(1, "texts");
        draw_recall(2, {.length = 0}, generator);
      },
      ThrowsMessage<std::invalid_argument>("draw_recall: expected batch, symbols, distractors and "
                                           "length >= 1, got 2, 8, 16 and 0"));
}

TEST(ReadingLayer, AttentionDoesNotAskHowFarAWordIsAndARecurrentLayerDoes) {
  Generator generator(1, "x");
  const Tensor x = normal({1, 4, 6}, generator, DType::kFloat64);
  const std::vector<double> numbers = x.to_vector();
  // Words 0 and 2 in each other's place; the last one stays.
  std::vector<double> other = numbers;
  for (std::size_t i = 0; i < 6; ++i) std::swap(other[i], other[12 + i]);
  for (const Reader reader :
       {Reader::kRnn, Reader::kOrthogonalRnn, Reader::kGru, Reader::kAttention}) {
    const ReadingLayer layer(reader, 6, nn::Seed(1) / "layer", DType::kFloat64);
    const std::vector<double> y = layer(Variable(x)).value().to_vector();
    const std::vector<double> swapped =
        layer(Variable(from_vector(other, {1, 4, 6}, DType::kFloat64))).value().to_vector();
    double off = 0;
    for (std::size_t i = 0; i < 6; ++i) off = std::max(off, std::abs(y[i] - swapped[i]));
    if (reader == Reader::kAttention) {
      EXPECT_LT(off, 1e-14) << name(reader);
    } else {
      EXPECT_GT(off, 1e-3) << name(reader);
    }
  }
}

TEST(TrainRecall, LearnsToNameASymbolThatIsNear) {
  const RecallModel model(Reader::kRnn, {.symbols = 2, .distractors = 2, .length = 3},
                          nn::Seed(1) / "model", /*d_model=*/8);
  Generator texts(1, "texts");
  train_recall(model, /*batch=*/16, {.updates = 150, .lr = 1e-2}, texts);
  EXPECT_GT(recall_accuracy(model, 200, texts), 0.95);
}

}  // namespace
}  // namespace gradwalk::lesson_08
