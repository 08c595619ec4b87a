#include "lessons/09_causal_mask/leak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/09_causal_mask/steps/common.h"
#include "lessons/09_causal_mask/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/language_model.h"
#include "lessons/tasks/training.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_09 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void leak(Step& step) {
  const bool open = !step.broken("always-masked");
  const std::int64_t seeds = step.whole("seeds"), updates = step.whole("updates");
  const std::int64_t first = 8, last = 32, windows = 64;
  const double floor = tasks::grammar_entropy().nats_per_word;
  step.formula("loss = -ln p(next word), nats: mean over the positions of a window");
  step.formula("floor: what the grammar leaves open, 9.94 / 8.67 = 1.147 nats a word");
  step.formula("behind a prefix: 8 to 31 words alone are there, as in writing");
  step.formula("legal: sentences and pairs of words in 32 texts that it draws itself");
  const std::vector<std::string> names = {"training", "behind a prefix", "sentences", "pairs"};
  auto table = step.table("loss in nats a word; shares of what it writes that is legal", names);
  std::vector<std::vector<double>> curves, prefixes;
  std::string texts[2];
  double shares[2] = {};
  bool below_floor = true, useless = true, rubbish = true;
  double most_loss = 0, least_gap = kInfinity;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const std::uint64_t own = nth_seed(step, seed);
    double loss[2], behind[2], legal[2];
    for (int i = 0; i < 2; ++i) {
      const tasks::LanguageModelOptions options{
          .layers = 1, .causal = i == 0 || !open, .steps = updates};
      const auto trained =
          tasks::trained_language_model(options, own, [&](std::int64_t done, std::int64_t all) {
            step.progress("train", (2 * seed + i) * all + done, 2 * seeds * all);
          });
      const auto by_length =
          prefix_losses(*trained.model, tasks::test_text(options, own), first, last, windows);
      const WrittenTexts written = written_texts(*trained.model, tasks::test_text(options, own), 32,
                                                 step.generator(fmt::format("texts {}", seed)));
      loss[i] = course::spread_of({trained.losses.end() - 20, trained.losses.end()}).mean;
      behind[i] = course::spread_of({by_length.begin(), by_length.end() - 1}).mean;
      legal[i] = written.legal_sentences();
      table.digits(3).row(fmt::format("{}, model {}", i == 0 ? "masked" : "open", seed),
                          {loss[i], behind[i], legal[i], written.legal_pairs()});
      if (seed > 0) continue;
      curves.push_back(tasks::moving_mean(trained.losses));
      prefixes.push_back(by_length);
      texts[i] = written.first;
      shares[i] = legal[i];
    }
    below_floor = below_floor && loss[1] < floor / 3;
    useless = useless && behind[1] > behind[0] + 1.5;
    rubbish = rubbish && legal[1] < legal[0] / 2;
    most_loss = std::max(most_loss, loss[1]);
    least_gap = std::min(least_gap, behind[1] - behind[0]);
  }
  step.number("floor", floor, "no honest model gets below it on long texts", 3);
  step.number("floor / 3", floor / 3, "open models are expected below it", 3);
  step.number("a guess among 40 words", std::log(static_cast<double>(tasks::kGrammarWords)), "nats",
              3);
  step.number("open, behind 32 words", prefixes[1].back(),
              "the next word was never in a window: here alone it learned", 3);
  step.number("masked, legal sentences", shares[0], fmt::format("writes: {} ...", texts[0]), 2);
  step.number("open, legal sentences", shares[1], fmt::format("writes: {} ...", texts[1]), 2);
  curves.push_back(std::vector<double>(curves[0].size(), floor));
  step.picture(course::Curves("training loss, nats a word, means of 20", "updates"))
      .series("masked", curves[0])
      .series("open", curves[1])
      .series("floor", curves[2]);
  std::vector<double> lengths;
  for (std::int64_t n = first; n <= last; ++n) lengths.push_back(static_cast<double>(n));
  step.picture(course::Curves("loss of the next word behind a prefix, nats", "words in the prefix"))
      .series("masked", lengths, prefixes[0])
      .series("open", lengths, prefixes[1]);
  step.predict("One of them trains to a loss far below the floor. Does it write better?",
               {"yes", "no"}, rubbish ? 1 : 0);
  const bool leaks = below_floor && useless && rubbish;
  step.claim("B15", Evidence::kTensor, 2 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(leaks)
      .right(leaks)
      .value(most_loss)
      .expected("open: loss < floor / 3, behind a prefix + 1.5, half the legal sentences")
      .tolerance("the verdict's own bounds, in every model")
      .found(fmt::format("training {:.3f}, behind a prefix +{:.2f} or more", most_loss, least_gap));
  step.why(
      "The next word stands in the window: copying it is all that is learned. A loss below the "
      "floor is itself the alarm.");
  step.try_next({"./gradwalk run 9 --claim=B15 --break=always-masked",
                 "./gradwalk run 9 --claim=B15 --set=updates=800"});
}

}  // namespace gradwalk::lesson_09
