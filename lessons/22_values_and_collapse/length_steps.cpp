#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "lessons/22_values_and_collapse/steps.h"
#include "lessons/course/key_scatter.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::NumberDraw;
using course::Step;

constexpr std::int64_t kJudged = 16, kSqueezed = 8;  // numbers in a text
constexpr double kHalf = 0.5;

constexpr auto low_pairs = [](const KeySpread& look) { return look.low.pairs; };
constexpr auto high_pairs = [](const KeySpread& look) { return look.high.pairs; };

std::vector<std::int64_t> lengths_of(Step& step) {
  std::vector<std::int64_t> lengths = {2, kSqueezed, kJudged};
  const std::int64_t longest = step.whole("longest");
  if (longest > kJudged) lengths.push_back(longest);
  return lengths;
}

/// Texts of the training whose largest number is in the lower half, on average.
double low_texts(const course::NumberTraining& training) {
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
    auto curves = step.curves(
        fmt::format("{}: z of each number less the mean, first model", name_of(drawn)), "number");
    for (const std::int64_t length : lengths_of(step)) {
      course::NumberTraining training = training_on(step, length, drawn);
      if (length == kJudged) training.updates = static_cast<int>(step.whole("judge_updates"));
      const auto models = looks(step, training, length == kJudged ? judges : seeds);
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
  step.curves("texts of two numbers: share right, by the n of the training", "log2 n")
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

void what_shows_it(Step& step) {
  const bool upper = step.broken("high-half");
  const std::int64_t seeds = step.whole("seeds");
  const auto half = upper ? &KeySpread::high : &KeySpread::low;
  const auto spread = [&](const KeySpread& look) { return (look.*half).spread; };
  const auto order = [&](const KeySpread& look) { return (look.*half).order; };
  const auto pairs = [&](const KeySpread& look) { return (look.*half).pairs; };
  step.formula("n numbers drawn one by one      K[16,8]: keys of the numbers");
  step.formula("first component: the direction along which the keys differ most");
  step.formula("share: variance of the keys along it / all of their variance");
  step.formula("place: where a key lies along it");
  step.formula(fmt::format("of the numbers {}:",
                           upper ? "8 to 15, the upper half" : "0 to 7, the lower half"));
  step.formula("spread: std of their places / std of all 16 places; even: 0.5");
  step.formula("order: |rank correlation| of place and worth; by chance 0.3");
  step.formula("pairs: share of pairs i < j with z_j - z_i > 1, as before");
  auto table = step.table(fmt::format("means of {} models each", seeds),
                          {"share", "spread", "order", "pairs"});
  table.digits(2);
  auto bars = step.bars("n = 2 is healthy: what tells the others from it?",
                        {"share", "spread", "order", "pairs"});
  bars.digits(2);
  const std::vector<std::int64_t> lengths = lengths_of(step);
  std::vector<std::vector<const KeySpread*>> all;
  for (const std::int64_t length : lengths) {
    const course::NumberTraining training = training_on(step, length, NumberDraw::kUniform);
    const auto models = looks(step, training, seeds);
    const std::vector<double> means = {over(models, &KeySpread::share).mean,
                                       over(models, spread).mean, over(models, order).mean,
                                       over(models, pairs).mean};
    table.row(fmt::format("n = {}", length), means);
    bars.group(fmt::format("n = {}", length), means);
    if (length <= kSqueezed) {
      course::draw_keys(step, fmt::format("keys, n = {}, first model", length),
                        models.front()->head.keys, training.task);
      record_scores(step, fmt::format("{}", length), *models.front(),
                    fmt::format("n = {}, first model", length));
    }
    all.push_back(models);
  }
  const auto &healthy = all[0], &squeezed = all[1];
  step.number(fmt::format("spread, n = {} less n = 8", lengths.back()),
              over(all.back(), spread).mean - over(squeezed, spread).mean,
              "above 0: it grows again, though still less was learned", 2);
  const double share =
      over(squeezed, &KeySpread::share).mean - over(healthy, &KeySpread::share).mean;
  const bool shown = all_below(each(squeezed, spread), each(healthy, spread)) &&
                     all_below(each(squeezed, order), each(healthy, order));
  const bool fewer = all_below(each(squeezed, pairs), each(healthy, pairs));
  step.predict("Half of the numbers are one heap. What of the first component's share of variance?",
               {"it falls", "it rises"}, share > 0 ? 1 : 0);
  step.claim("A28", Evidence::kTensor, /*cases=*/std::ssize(lengths) * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(shown)
      .right(shown && fewer && share > 0)
      .value(over(squeezed, spread).mean)
      .interval(over(squeezed, spread).lowest, over(squeezed, spread).highest)
      .expected("n = 8 against 2: spread, order and pairs fall, the share does not")
      .tolerance("in every model; the share: means")
      .found(fmt::format("spread {:.2f} -> {:.2f}, order {:.2f} -> {:.2f}, share {:+.2f}",
                         over(healthy, spread).mean, over(squeezed, spread).mean,
                         over(healthy, order).mean, over(squeezed, order).mean, share));
  step.why(
      "Large numbers far out make the first component as large as an order of all would. KeySpread "
      "at "
      "who lies where, and at pairs: a share does not know the numbers.");
  step.try_next({"./gradwalk run 22 --claim=A28 --break=high-half",
                 "./gradwalk run 22 --claim=A28 --predict"});
}

}  // namespace gradwalk::lessons
