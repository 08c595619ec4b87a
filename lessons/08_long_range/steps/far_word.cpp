#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lessons/08_long_range/reach.h"
#include "lessons/08_long_range/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/memo.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "nn/seed.h"
#include "tensor/random.h"

namespace gradwalk::lesson_08 {
namespace {

using course::Evidence;
using course::Step;

const std::vector<Reader> kReaders = {Reader::kRnn, Reader::kOrthogonalRnn, Reader::kGru,
                                      Reader::kAttention};

std::uint64_t seed_of(Step& step, std::int64_t repetition) {
  return step.seed() + 1000 * static_cast<std::uint64_t>(repetition);
}

struct Trained {
  Reader reader;
  std::int64_t length, updates;
  bool symbol_last;
  std::uint64_t seed;
  auto operator<=>(const Trained&) const = default;
};

double trained_accuracy(const Trained& t, const std::function<void(int)>& progress) {
  static course::Memo<Trained, double> memo;
  return memo(t, [&] {
    const nn::Seed own = nn::Seed(t.seed) / "long_range/recall";
    const RecallModel model(t.reader, {.length = t.length, .symbol_last = t.symbol_last},
                            own / "model");
    Generator texts = (own / "texts").generator(), test = (own / "test").generator();
    train_recall(model, /*batch=*/32,
                 {.updates = static_cast<int>(t.updates), .until = 0.02, .progress = progress},
                 texts);
    return recall_accuracy(model, /*batch=*/512, test);
  });
}

}  // namespace

void far_word(Step& step) {
  const bool near = step.broken("near-word");
  const std::int64_t seeds = step.whole("seeds"), models = step.whole("models");
  const std::int64_t updates = step.whole("updates");
  const std::vector<std::int64_t> lengths = {4, 8, 16, 32, 64};
  step.formula("pull(t) = length of dL/dx_t, L a random weighing of the last output");
  step.formula("ratio = pull(first word) / pull(last but one), before any training");
  step.formula("orthogonal RNN: U only turns h; GRU: an RNN with gates that may keep h");
  step.formula("attention: the last word asks all words (lesson 1); T share its weights");
  step.formula("slope: of ln ratio in T, the number of words, from T = 8 to 64");
  std::vector<std::string> columns;
  for (const std::int64_t length : lengths) columns.push_back(fmt::format("T = {}", length));
  std::vector<std::vector<double>> ratios, logs_of_pulls(static_cast<std::size_t>(seeds));
  std::vector<double> pulls;
  std::vector<double> slopes;
  for (const Reader reader : kReaders) {
    std::vector<double> ratio, x, y;
    for (const std::int64_t length : lengths) {
      std::vector<double> each, absolute;
      for (std::int64_t s = 0; s < seeds; ++s) {
        const InputGradients pull = input_gradients(reader, length, seed_of(step, s));
        each.push_back((near ? pull.near : pull.far) / pull.near);
        absolute.push_back(near ? pull.near : pull.far);
        if (reader == Reader::kAttention && length >= 8)
          logs_of_pulls[static_cast<std::size_t>(s)].push_back(std::log(absolute.back()));
      }
      ratio.push_back(geometric_mean(each));
      if (reader == Reader::kAttention) pulls.push_back(geometric_mean(absolute));
      if (length < 8) continue;
      x.push_back(static_cast<double>(length));
      y.push_back(std::log(ratio.back()));
    }
    ratios.push_back(ratio);
    slopes.push_back(slope_of(x, y));
  }
  auto reach = step.table(fmt::format("ratio, geometric mean of {} seeds", seeds), columns);
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    reach.digits(std::vector<int>(columns.size(), -1))
        .row(name(kReaders[i]), ratios[i], fmt::format("slope {:.2f}", slopes[i]));
  }
  std::vector<double> shared;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    shared.push_back(pulls[i] * static_cast<double>(lengths[i]));
  auto price = step.table("attention: what the first word shares with T - 1 others", columns);
  price.digits(3).row("pull", pulls, "falls").row("T * pull", shared, "about the same: 1 / T");
  std::vector<double> x(lengths.begin(), lengths.end());
  auto& curves = step.picture(
      course::Curves("log10 of the ratio: how far back a gradient reaches", "T, words"));
  for (std::size_t i = 0; i < kReaders.size(); ++i) {
    std::vector<double> logs;
    for (const double ratio : ratios[i]) logs.push_back(std::log10(ratio));
    curves.series(name(kReaders[i]), x, logs);
  }
  std::vector<double> log_length;
  for (std::size_t i = 1; i < lengths.size(); ++i) log_length.push_back(std::log(x[i]));
  double power = 0, squares = 0;
  for (const std::vector<double>& logs : logs_of_pulls) {
    const double one = slope_of(log_length, logs);
    power += one / static_cast<double>(seeds);
    squares += one * one / static_cast<double>(seeds);
  }
  const double error = std::sqrt((squares - power * power) /
                                 static_cast<double>(std::max<std::int64_t>(1, seeds - 1)));

  const std::vector<std::int64_t> texts =
      step.quick() ? std::vector<std::int64_t>{8, 32} : std::vector<std::int64_t>{8, 16, 32};
  // The GRU's lot is no part of the claim's rule.
  const std::vector<Reader> learners =
      step.quick() ? std::vector<Reader>{Reader::kRnn, Reader::kAttention}
                   : std::vector<Reader>{Reader::kRnn, Reader::kGru, Reader::kAttention};
  std::vector<std::string> names;
  for (const std::int64_t length : texts) names.push_back(fmt::format("T = {}", length));
  auto recall = step.table(
      fmt::format(
          "trained to name the first of T words, 1 of 8: share that is right, at most {} updates",
          updates),
      names);
  const auto runs = static_cast<std::int64_t>(learners.size() * texts.size()) * models;
  std::int64_t run = 0;
  double rnn_best = 0, attention_worst = 1;
  auto& bars = step.picture(
      course::Bars(fmt::format("share named right (guessing: 0.125), mean of {}", models), names));
  for (const Reader reader : learners) {
    std::vector<double> lowest, mean, highest;
    for (const std::int64_t length : texts) {
      std::vector<double> right;
      for (std::int64_t s = 0; s < models; ++s, ++run) {
        right.push_back(
            trained_accuracy({reader, length, updates, near, seed_of(step, s)},
                             step.training_progress(run, runs, static_cast<int>(updates))));
      }
      const course::Spread spread = course::spread_of(right);
      lowest.push_back(spread.lowest);
      mean.push_back(spread.mean);
      highest.push_back(spread.highest);
    }
    recall.digits(3)
        .row(fmt::format("{}, worst", name(reader)), lowest)
        .row(fmt::format("{}, best", name(reader)), highest,
             fmt::format("of {} model{}", models, models == 1 ? "" : "s"));
    bars.digits(2).group(name(reader), mean);
    if (reader == Reader::kRnn) rnn_best = highest.back();
    if (reader == Reader::kAttention) attention_worst = lowest.back();
  }
  step.predict("32 words: which model learns to name the first one?",
               {"both", "the RNN only", "attention only", "neither"},
               rnn_best > 0.5 ? (attention_worst > 0.5 ? 0 : 1) : (attention_worst > 0.5 ? 2 : 3));
  const bool fades = slopes[0] < -0.3 && slopes[2] < -0.3;
  const bool reaches = ratios[3].back() > 0.05;
  const bool recalls = attention_worst > 0.95 && rnn_best < 0.3;
  const bool stated = fades && reaches && recalls;
  step.number("power of T in attention's pull", power,
              fmt::format("-1 +-{:.2f} expected, 4 SE: 1 / T, from T = 8", 4 * error), 2);
  step.claim("B2", Evidence::kTensor,
             seeds * static_cast<std::int64_t>(kReaders.size() * lengths.size()) + runs)
      .seeds(static_cast<int>(std::max(seeds, models)))
      .as_stated(stated)
      .right(seeds > 1 ? course::truth(stated && std::abs(power + 1) <= 4 * error)
                       : course::Truth::kUnclear)
      .value(ratios[3].back())
      .expected("slope < -0.3 RNN, GRU; attention > 0.05 at T = 64, like 1 / T; recall at 32")
      .tolerance(fmt::format(
          "T^(-1 +-{:.2f}), 4 SE, {} seeds; attention names > 0.95, RNN < 0.3, all models",
          4 * error, seeds))
      .found(
          fmt::format("slopes {:.2f}, {:.2f}; attention {:.2g}, T^{:.2f}; recall {:.2f} / {:.2f}",
                      slopes[0], slopes[2], ratios[3].back(), power, attention_worst, rnn_best));
  step.why(
      "An RNN's ratio falls by a factor a word, attention's not at all: only the number of words "
      "that share its weights counts, like 1 / T.");
  step.try_next({"./gradwalk run 8 --claim=B2 --break=near-word",
                 "./gradwalk run 8 --claim=B2 --set=updates=600"});
}

}  // namespace gradwalk::lesson_08
