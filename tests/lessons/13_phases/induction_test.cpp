#include "lessons/13_phases/induction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tensor/create.h"

namespace gradwalk::lesson_13 {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::ThrowsMessage;

TEST(DrawInduction, RepeatsRoundsOfDifferentSymbols) {
  Generator generator(1, "texts");
  const InductionSizes sizes{.symbols = 6, .shortest = 2, .longest = 4, .tokens = 9};
  const InductionBatch batch = draw_induction(600, sizes, generator);
  std::map<double, int> rounds;
  for (std::int64_t text = 0; text < 600; ++text) {
    const double round = batch.rounds.at({text});
    ++rounds[round];
    std::set<double> symbols;
    for (std::int64_t t = 0; t < 9; ++t) {
      symbols.insert(batch.inputs.at({text, t}));
      const double target = batch.targets.at({text, t});
      if (static_cast<double>(t) < round) {
        EXPECT_EQ(target, -100) << "nobody can know it";
      } else if (t < 8) {
        EXPECT_EQ(target, batch.inputs.at({text, t + 1}));
      }
      if (static_cast<double>(t) >= round) {
        const auto before = t - static_cast<std::int64_t>(round);
        EXPECT_EQ(batch.inputs.at({text, t}), batch.inputs.at({text, before}));
      }
    }
    EXPECT_EQ(static_cast<double>(symbols.size()), round);
  }
  ASSERT_EQ(rounds.size(), 3U);
  for (const auto& [round, count] : rounds) EXPECT_NEAR(count, 200, 47) << round;  // 4 SE
}

TEST(DrawInductionError, WantsARoundThatFits) {
  EXPECT_THAT(
      [] {
        Generator generator(1, "texts");
        draw_induction(1, {.symbols = 8, .shortest = 5, .longest = 9, .tokens = 31}, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "draw_induction: expected 1 <= shortest <= longest <= symbols and longest < tokens, got "
          "5, 9, 8 and 31"));
}

TEST(AfterEarlierMatch, IsTheKeyBehindEachEarlierPlaceOfTheSymbol) {
  const Tensor found = after_earlier_match(from_vector({3, 5, 3, 3}, {1, 4}, DType::kInt64));
  // Query 2 (symbol 3) found it at 0, so key 1; query 3 at 0 and 2, so keys 1 and 3.
  EXPECT_THAT(found.to_vector(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1));
}

TEST(InductionModel, LearnsShortRoundsByLookingThemUp) {
  const InductionOptions options{.sizes = {.symbols = 6, .shortest = 3, .longest = 5, .tokens = 15},
                                 .heads = 2};
  const auto model = new_induction_model(options, nn::Seed(1));
  Generator texts(1, "texts"), tests(1, "tests");
  const InductionBatch test = draw_induction(64, options.sizes, tests);
  const InductionScore before = induction_score(*model, test);
  EXPECT_LT(before.accuracy, 0.5);
  ASSERT_EQ(before.previous.size(), 2U);
  ASSERT_EQ(before.after_match[1].size(), 2U);
  EXPECT_EQ(train_induction(*model, options.sizes, {.updates = 250}, texts).size(), 250U);
  const InductionScore after = induction_score(*model, test);
  EXPECT_GT(after.accuracy, 0.9);
  EXPECT_THAT(after.sharpest[1], testing::Each(Ge(1.0 / 15)));
}

}  // namespace
}  // namespace gradwalk::lesson_13
