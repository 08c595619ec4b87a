// Lesson 9: the causal mask.
//
// Claims   B14, B15, B16, B50, B51: article 003, sections 2.3 and 5.3, on what hides the
//          future from a model that learns to go on with a text, where that goes, its cost
// Builds   on lesson 1 (queries, keys, values) and lesson 5 (the scale)
// Run      ./gradwalk run 9 --step
//
// Four words come first, by hand; then models at once and word by word, and one trained without a
// mask. mask_steps.cpp looks at single layers; masks.h and leak.h are what is measured.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lessons/09_causal_mask/leak.h"
#include "lessons/09_causal_mask/mask_steps.h"
#include "lessons/course/language_model.h"
#include "lessons/course/measure.h"
#include "lessons/course/training.h"
#include "tensor/compare.h"
#include "tensor/convert.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kWords = 24;

std::uint64_t nth_seed(const Step& step, std::int64_t at) {
  return step.seed() + 1000 * static_cast<std::uint64_t>(at);
}

void at_once_or_word_by_word(Step& step) {
  const bool masked = !step.broken("no-mask");
  const std::int64_t seeds = step.whole("seeds");
  step.formula("at once: all n words go in, row t says how word t + 1 may go on");
  step.formula("word by word: words 0 ... t alone go in; the last row counts");
  step.formula("masked: row t sees words 0 ... t only, so both must agree");
  auto table =
      step.table(fmt::format("{} words, 2 layers, logits at once against word by word", kWords),
                 {"masked", "open", "same word, masked", "same word, open"});
  double most_masked = 0, least_open = kInfinity;
  std::vector<std::vector<double>> curves;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const std::uint64_t own = nth_seed(step, seed);
    std::vector<double> off, same;
    for (const bool causal : {masked, false}) {
      const auto model = course::new_language_model({.causal = causal}, own);
      const Tensor text =
          select(course::text_windows(course::test_text({}, own), kWords, 1).inputs, 0, 0);
      const Tensor once = course::logits_at_once(*model, text);
      const Tensor steps = stepwise_logits(*model, text);
      off.push_back(course::distance(once, steps));
      if (seed == 0) curves.push_back(max(abs(once - steps), -1).to_vector());
      same.push_back(sum(to(equal(argmax(once, -1), argmax(steps, -1)), DType::kInt64)).item());
    }
    most_masked = std::max(most_masked, off[0]);
    least_open = std::min(least_open, off[1]);
    table.digits({-1, 2, 0, 0})
        .row(fmt::format("model {}", seed), {off[0], off[1], same[0], same[1]});
  }
  step.predict("A model without a mask reads 24 words at once. Same logits as word by word?",
               {"yes", "no"}, least_open < 1e-5 ? 0 : 1);
  step.curves("model 0: largest difference of a logit, by word", "word (the last sees no future)")
      .series("masked", curves[0])
      .series("open", curves[1]);
  step.claim("B14", Evidence::kTensor, seeds * kWords)
      .seeds(static_cast<int>(seeds))
      .as_stated(least_open < 1e-5)
      .right(most_masked < 1e-5 && least_open > 0.1)
      .value(most_masked)
      .expected("masked < 1e-5; open > 0.1")
      .tolerance("1e-5: float32, sums of 64 products and 4 layers of them")
      .found(fmt::format("masked {:.1g} apart, open {:.2g}", most_masked, least_open));
  step.why(
      "In writing the future does not exist: there is nothing to hide. Training has the whole "
      "text, so there each row must be masked to fit.");
  step.try_next(
      {"./gradwalk run 9 --claim=B14 --break=no-mask", "./gradwalk run 9 --claim=B14 --predict"});
}

void leak(Step& step) {
  const bool open = !step.broken("always-masked");
  const std::int64_t seeds = step.whole("seeds"), updates = step.whole("updates");
  const std::int64_t first = 8, last = 32, windows = 64;
  const double floor = course::grammar_entropy().nats_per_word;
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
      const course::LanguageModelOptions options{
          .layers = 1, .causal = i == 0 || !open, .steps = updates};
      const auto trained =
          course::trained_language_model(options, own, [&](std::int64_t done, std::int64_t all) {
            step.progress("train", (2 * seed + i) * all + done, 2 * seeds * all);
          });
      const auto by_length =
          prefix_losses(*trained.model, course::test_text(options, own), first, last, windows);
      const Written written = write(*trained.model, course::test_text(options, own), 32,
                                    step.generator(fmt::format("texts {}", seed)));
      loss[i] = course::spread_of({trained.losses.end() - 20, trained.losses.end()}).mean;
      behind[i] = course::spread_of({by_length.begin(), by_length.end() - 1}).mean;
      legal[i] = written.legal_sentences();
      table.digits(3).row(fmt::format("{}, model {}", i == 0 ? "masked" : "open", seed),
                          {loss[i], behind[i], legal[i], written.legal_pairs()});
      if (seed > 0) continue;
      curves.push_back(course::moving_mean(trained.losses));
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
  step.number("a guess among 40 words", std::log(static_cast<double>(course::kGrammarWords)),
              "nats", 3);
  step.number("open, behind 32 words", prefixes[1].back(),
              "the next word was never in a window: here alone it learned", 3);
  step.number("masked, legal sentences", shares[0], fmt::format("writes: {} ...", texts[0]), 2);
  step.number("open, legal sentences", shares[1], fmt::format("writes: {} ...", texts[1]), 2);
  curves.push_back(std::vector<double>(curves[0].size(), floor));
  step.curves("training loss, nats a word, means of 20", "updates")
      .series("masked", curves[0])
      .series("open", curves[1])
      .series("floor", curves[2]);
  std::vector<double> lengths;
  for (std::int64_t n = first; n <= last; ++n) lengths.push_back(static_cast<double>(n));
  step.curves("loss of the next word behind a prefix, nats", "words in the prefix")
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

}  // namespace

course::Lesson lesson_09_causal_mask() {
  course::Lesson lesson(9, "causal_mask", "What hides the future");
  lesson.seeds(/*full=*/3, /*quick=*/1, "models, or draws of queries and keys, a step");
  lesson.parameter({.name = "updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of training of the fourth step's models, 16 windows each"});
  lesson.parameter({.name = "longest",
                    .value = 2048,
                    .quick = 512,
                    .min = 512,
                    .max = 4096,
                    .whole = true,
                    .what = "words in the last step's longest text"});
  lesson.sabotage("finite-mask", "the first step's mask takes 5 off the scores of the future");
  lesson.sabotage("small-infinity", "the second step's -inf is -20");
  lesson.sabotage("no-mask", "the third step's masked model has no mask");
  lesson.sabotage("always-masked", "the fourth step's open model is trained with the mask");
  lesson.sabotage("maps-apart", "the fused kernel makes whole maps, one part after the other");

  lesson.steps_stand_alone();
  lesson.step("Four words: what the mask does", four_words, {"B16"});
  lesson.step("Before or after scaling", place, {"B50"});
  lesson.step("All at once, or word by word", at_once_or_word_by_word, {"B14"});
  lesson.step("Trained without the mask", leak, {"B15"});
  lesson.step("What the mask costs", whole_maps, {"B51"});
  return lesson;
}

}  // namespace gradwalk::lessons
