#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/22_values_and_collapse/key_spread.h"
#include "lessons/22_values_and_collapse/scores.h"
#include "lessons/22_values_and_collapse/steps/common.h"
#include "lessons/22_values_and_collapse/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_22 {
namespace {

using course::Evidence;
using course::Step;
using tasks::NumberDraw;

constexpr double kHalf = 0.5;

constexpr auto low_pairs = [](const KeySpread& measures) { return measures.low.pairs; };

constexpr auto high_pairs = [](const KeySpread& measures) { return measures.high.pairs; };

// Texts of the training whose largest number is in the lower half, on average.
double low_texts(const tasks::NumberTraining& training) {
  const double all = static_cast<double>(training.updates) * static_cast<double>(training.batch);
  const auto n = static_cast<double>(training.task.numbers);
  return training.task.draw == NumberDraw::kUniform
             ? all * std::pow(0.5, static_cast<double>(training.task.fewest))
             : all * (n / 2 - 1) / (n - 1);
}

const char* name_of(NumberDraw draw) {
  return draw == NumberDraw::kUniform ? "one by one" : "largest first";
}

}  // namespace

void long_texts(Step& step) {
  const bool same_draw = step.broken("one-by-one");
  const std::int64_t seeds = step.whole("seeds"), judges = step.whole("judges");
  step.formula("a text: [CLS], n numbers of 0 to 15, 4 nouns; asked for: the largest");
  step.formula("one by one: each number uniform in 0, ..., 15, by itself");
  step.formula("P(largest < 8) = 2^-n: 1 of 4 texts at n = 2, 1 of 65536 at n = 16");
  step.formula("largest first: m uniform in 1, ..., 15 (never 0), then n - 1 below m");
  step.formula("own: share right of such texts      two: of texts of two numbers");
  step.formula("all: share of pairs i < j in order, z_j - z_i > 1, so w_j > 2.7 w_i");
  step.formula("low: of pairs in 0, ..., 7; high: in 8, ..., 15; in no order: < 0.5");
  step.formula("small: texts of a training with all numbers below 8, on average");
  std::vector<double> x;
  std::vector<std::vector<double>> pair_curves;
  course::Spread judged[2];
  double own_alone = 0, pair_alone = 0;
  auto table = step.table(fmt::format("means of {} models each, n = 16: {}, of {} updates", seeds,
                                      judges, step.whole("judge_updates")),
                          {"own", "two", "all", "low", "high", "small"});
  table.digits({3, 3, 2, 2, 2, 0});
  for (const NumberDraw draw : {NumberDraw::kUniform, NumberDraw::kBalanced}) {
    const NumberDraw drawn = same_draw ? NumberDraw::kUniform : draw;
    const std::size_t at = draw == NumberDraw::kUniform ? 0 : 1;
    std::vector<double> pairs;
    auto& curves = step.picture(course::Curves(
        fmt::format("{}: z of each number less the mean, first model", name_of(drawn)), "number"));
    for (const std::int64_t length : lengths_of(step)) {
      tasks::NumberTraining training = training_on(step, length, drawn);
      if (length == kJudged) training.updates = static_cast<int>(step.whole("judge_updates"));
      const auto models = key_spreads(step, training, length == kJudged ? judges : seeds);
      const double pair = over(models, &KeySpread::pair).mean,
                   own = over(models, &KeySpread::own).mean;
      table.row(fmt::format("{}, {}", name_of(drawn), length),
                {own, pair, over(models, &KeySpread::all).mean, over(models, low_pairs).mean,
                 over(models, high_pairs).mean, low_texts(training)});
      curves.series(fmt::format("n = {}", length), centred(models.front()->z));
      pairs.push_back(pair);
      if (at == 0) x.push_back(std::log2(static_cast<double>(length)));
      if (length == kJudged) {
        judged[at] = over(models, low_pairs);
        if (at == 0) own_alone = own, pair_alone = pair;
        record_scores(step, at == 0 ? "one" : "first", *models.front(),
                      fmt::format("{}, n = {}, first model", name_of(drawn), length));
      }
    }
    pair_curves.push_back(pairs);
  }
  step.picture(
          course::Curves("texts of two numbers: share right, by the n of the training", "log2 n"))
      .series("one by one", x, pair_curves[0])
      .series("largest first", x, pair_curves[1]);
  step.predict("16 numbers in each text, the largest first. Are the small numbers told apart?",
               {"no: the text is too long", "yes, as in short texts"},
               judged[1].mean > 0.9 ? 1 : 0);
  const bool collapses = judged[0].mean < kHalf;
  step.claim("A27", Evidence::kTensor, /*cases=*/2 * 28 * judges)
      .seeds(static_cast<int>(judges))
      .as_stated(collapses && judged[1].mean < kHalf)
      .right(collapses && judged[1].mean > 0.9)
      .value(judged[1].mean)
      .interval(judged[1].lowest, judged[1].highest)
      .expected("n = 16, low pairs in order: one by one < 0.5, largest first > 0.9")
      .tolerance("the bounds are the rule's; means of the models")
      .found(fmt::format("in order: {:.2f} and {:.2f}; 2 numbers {:.2f} where own {:.2f}",
                         judged[0].mean, judged[1].mean, pair_alone, own_alone));
  step.why(
      "Of many numbers drawn one by one the largest is nearly always large. Small ones are never "
      "the answer, so no gradient tells their keys apart.");
  step.try_next({"./gradwalk run 22 --claim=A27 --break=one-by-one",
                 "./gradwalk run 22 --claim=A27 --set=longest=64"});
}

}  // namespace gradwalk::lesson_22
