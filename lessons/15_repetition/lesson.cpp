// Lesson 15: why a model says the same thing again.
//
// Claims   B53, B54, B55: article 003, section 5.3, on what the entropy of attention says about
//          repetition, what a model that sees one word does, and which way to turn the temperature
// Builds   on lesson 9 (the grammar corpus and its language model) and lesson 1 (a temperature)
// Run      ./gradwalk run 15 --step
//
// writers.h has the models and what they write, repetition.h the measures.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lessons/15_repetition/repetition.h"
#include "lessons/15_repetition/writers.h"
#include "lessons/course/grammar.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/rank_correlation.h"
#include "nn/diagnostics/statistics.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

constexpr std::int64_t kLongestLoop = 12;    // words: a sentence has 6 to 10
constexpr std::int64_t kInLoopBy = 20;       // words written, half of the 40 that there are
constexpr std::int64_t kRealTexts = 400;     // for the repetition of real text
constexpr double kCold = 0.1, kPlain = 1.0;  // temperatures that the claims compare

/// One writer a seed, trained.
std::vector<Writer> writers(Step& step, bool last_word_only) {
  std::vector<Writer> all;
  const std::int64_t seeds = step.whole("seeds"), updates = step.whole("updates");
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    all.push_back({.updates = updates,
                   .seed = 100 * step.seed() + static_cast<std::uint64_t>(seed),
                   .last_word_only = last_word_only});
    model_of(all.back(), [&](std::int64_t done, std::int64_t /*total*/) {
      step.progress("train", seed * updates + done, seeds * updates);
    });
  }
  return all;
}

double mean(const std::vector<double>& values) { return nn::summarize(values).mean; }

double repetition(const Tensor& texts) { return mean(repeated_share(texts)); }

/// The first words of a text, as many as fit into a note.
std::string beginning(const Tensor& texts, std::int64_t text, std::int64_t words) {
  std::vector<std::int64_t> ids;
  for (std::int64_t at = 0; at < words; ++at) {
    ids.push_back(static_cast<std::int64_t>(texts.at({text, at})));
  }
  return course::grammar_text(ids);
}

void last_word(Step& step) {
  const bool sees_all = step.broken("sees-all");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> full = writers(step, false), last = writers(step, !sees_all);
  step.formula("last word only: no attention, no positions: x_t = E[w_t], logits = f(x_t)");
  step.formula("greedy: w_t+1 = argmax f(w_t) = g(w_t), a map of 40 words into themselves");
  step.formula("repeated = share of the 4 words in a row that stood in the same text before");
  auto table = step.table(fmt::format("{} texts of {} words each", texts, kWords),
                          {"repeated", "looping", "full: rep.", "full: loop.", "drawn, T=1"});
  double loops = 1, full_loops = 0, repeated = 1, full_repeated = 0, excess = -1, drawn_most = 0;
  std::vector<double> greedy_mean, full_mean, drawn_mean, real_mean;
  bool follows_map = true;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Tensor& greedy = texts_of(last[i], texts, 0);
    const Tensor& greedy_full = texts_of(full[i], texts, 0);
    const nn::Summary drawn = nn::summarize(repeated_share(texts_of(last[i], texts, kPlain)));
    const nn::Summary real = nn::summarize(repeated_share(real_texts(last[i], kRealTexts)));
    step.progress("write", static_cast<std::int64_t>(i) + 1, std::ssize(last));
    const double in_loop = share_in_loop(greedy, kInLoopBy, kLongestLoop);
    const double full_in_loop = share_in_loop(greedy_full, kInLoopBy, kLongestLoop);
    greedy_mean.push_back(repetition(greedy));
    full_mean.push_back(repetition(greedy_full));
    drawn_mean.push_back(drawn.mean);
    real_mean.push_back(real.mean);
    table.digits(3).row(fmt::format("seed {}", i),
                        {greedy_mean.back(), in_loop, full_mean.back(), full_in_loop, drawn.mean});
    loops = std::min(loops, in_loop);
    full_loops += full_in_loop / static_cast<double>(last.size());
    repeated = std::min(repeated, greedy_mean.back());
    full_repeated = std::max(full_repeated, full_mean.back());
    drawn_most = std::max(drawn_most, drawn.mean);
    excess = std::max(
        excess, drawn.mean - real.mean - 4 * std::hypot(drawn.standard_error, real.standard_error));
    follows_map = follows_map && follows(greedy, prompts_of(last[i], texts), next_words(last[i]));
  }
  const std::vector<std::int64_t> next = next_words(last[0]);
  auto graph =
      step.table("the map g of seed 0: its cycles", {"words in it", "words that end in it"});
  for (const Cycle& cycle : cycles_of(next)) {
    graph.digits(0).row(course::grammar_text(cycle.ids),
                        {static_cast<double>(cycle.ids.size()), static_cast<double>(cycle.basin)});
  }
  step.number("real text repeats", mean(real_mean), "what the grammar does by chance", 3);
  step.predict("A model sees the last word alone and takes the likeliest next. How does it end?",
               {"in a loop, always", "in a loop, mostly", "it goes on like the language"},
               loops == 1    ? 0
               : loops > 0.5 ? 1
                             : 2);
  step.bars("repeated, mean of the seeds", {"share"})
      .digits(3)
      .group("last word, greedy", {mean(greedy_mean)})
      .group("full model, greedy", {mean(full_mean)})
      .group("last word, drawn at T=1", {mean(drawn_mean)})
      .group("real text", {mean(real_mean)});
  step.check("greedy text is the map, iterated", follows_map,
             fmt::format("{} words", std::ssize(last) * texts * kWords));
  step.claim("B54", Evidence::kTensor, /*cases=*/std::ssize(last) * texts)
      .seeds(static_cast<int>(last.size()))
      .as_stated(loops == 1)
      .right(loops == 1 && full_loops < 0.5 && repeated > full_repeated && excess <= 0)
      .value(loops)
      .expected("looping 1, full model < 0.5; drawn: no more than real text")
      .tolerance(fmt::format("all texts; 4 SE of two means, N={} and {}", texts, kRealTexts))
      .found(
          fmt::format("looping {:.2f}, full {:.2f}, drawn {:.3f}", loops, full_loops, drawn_most));
  step.why(
      "Nothing but the last word decides, and there are 40: after 40 words one has come twice, and "
      "from there on all is as before.");
  step.try_next({"./gradwalk run 15 --claim=B54 --break=sees-all",
                 "./gradwalk run 15 --claim=B54 --predict"});
}

void temperature(Step& step) {
  const bool upside_down = step.broken("upside-down");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  std::vector<double> temperatures = {0, kCold, 0.3, 0.5, 0.7, kPlain, 1.5, 2};
  if (step.quick()) temperatures = {0, kCold, 0.3, kPlain, 2};
  step.formula("p(next word) = softmax(logits / T)      T = 0: the likeliest word");
  auto table = step.table("repeated 4 words, share of the text; how text 0 goes on", [&] {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < all.size(); ++i) columns.push_back(fmt::format("seed {}", i));
    return columns;
  }());
  std::vector<double> means, cold(all.size()), plain(all.size()), real;
  std::int64_t written = 0;
  for (const double t : temperatures) {
    std::vector<double> repeated;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Tensor& words = texts_of(all[i], texts, upside_down && t > 0 ? 1 / t : t);
      repeated.push_back(repetition(words));
      if (i == 0) text = beginning(words, 0, 7);
      if (t == kCold) cold[i] = repeated.back();
      if (t == kPlain) plain[i] = repeated.back();
      step.progress("write", ++written, std::ssize(temperatures) * std::ssize(all));
    }
    table.digits(3).row(fmt::format("T = {}", t), repeated, text + " ...");
    means.push_back(mean(repeated));
  }
  for (const Writer& writer : all) real.push_back(repetition(real_texts(writer, kRealTexts)));
  table.row("real text", real);
  step.curves("repeated, mean of the seeds", "temperature T of the draw")
      .series("model", temperatures, means)
      .series("real text", {temperatures.front(), temperatures.back()}, {mean(real), mean(real)});
  double least = 1, most = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    least = std::min(least, cold[i] - plain[i]);
    most = std::max(most, cold[i] - plain[i]);
  }
  step.predict("The text repeats itself. Which way to turn the temperature?", {"down", "up"},
               least > 0 ? 1 : 0);
  step.number("repeated, T = 0.1 less T = 1", least, "the seed with the least; > 0.05: up helps",
              3);
  step.claim("B55", Evidence::kTensor, /*cases=*/2 * std::ssize(all) * texts)
      .seeds(static_cast<int>(all.size()))
      .as_stated(most < 0)
      .right(least > 0.05)
      .value(least)
      .expected("T = 0.1 repeats more than T = 1 by > 0.05, every seed")
      .tolerance("the bound is the claim's; all seeds must pass it")
      .found(fmt::format("more by {:.3f} to {:.3f}", least, most));
  step.why(
      "A low temperature takes the likeliest word more often, and that is the greedy map again. "
      "Against loops turn it up, not down.");
  step.try_next({"./gradwalk run 15 --claim=B55 --break=upside-down",
                 "./gradwalk run 15 --claim=B55 --predict"});
}

void attention_temperature(Step& step) {
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  step.formula(
      "weights = softmax(scores / tau) in every head, after training; words drawn at T = 0.5");
  auto table = step.table("mean of the seeds", {"repeated", "lowest", "highest", "loss, nats"});
  std::vector<double> losses(all.size(), 1e9), plain_losses(all.size());
  std::vector<double> taus = {0.25, 0.5, 1, 2, 4}, repeated_means;
  if (step.quick()) taus = {0.25, 1, 4};
  std::int64_t written = 0;
  for (const double tau : taus) {
    std::vector<double> repeated, loss;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Writer writer = all[i];
      writer.attention_temperature = tau;
      repeated.push_back(repetition(texts_of(writer, texts, 0.5)));
      const course::LanguageModelOptions options = options_of(writer);
      loss.push_back(course::language_model_loss(
          *model_of(writer), std::span(course::test_text(options, writer.seed)).first(8000),
          options.context));
      if (tau == 1) plain_losses[i] = loss.back();
      losses[i] = std::min(losses[i], loss.back());
      step.progress("write", ++written, std::ssize(taus) * std::ssize(all));
    }
    const course::Spread spread = course::spread_of(repeated);
    repeated_means.push_back(spread.mean);
    table.digits(3).row(fmt::format("tau = {}", tau),
                        {spread.mean, spread.lowest, spread.highest, mean(loss)},
                        tau == 1 ? "as trained" : "");
  }
  const double cold = mean(repeated_means);
  step.number("repeated, all tau", cold, "at T = 0.1 of the draw it is several times as much", 3);
  step.check("the loss is lowest at tau = 1, every seed", losses == plain_losses,
             "the scores were learned for this softmax");
  step.why(
      "The softmax inside attention chooses where to look, not what to say: another temperature "
      "there spoils the model and leaves loops alone.");
  step.try_next({"./gradwalk run 15 --from=3 --seed=2"});
}

void entropy(Step& step) {
  const bool predictions = step.broken("predictions");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  step.formula(
      "H = -sum_j w_j ln w_j of the row that a word was made from, mean of heads and words");
  step.formula("rho = Spearman(H, repeated) over the texts of one model at T = 0.1");
  auto table = step.table("nats", {"H, T=0", "H, T=1", "shift", "rho, T=0.1", "repeated less"});
  double shift_most = 0, shift_least = 1e9, rho_least = 1, rho_most = -1, change_mean = 0;
  std::vector<double> healthy, next_word_shift;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto measured = [&](std::int64_t count, double t) {
      WritingEntropy both = writing_entropy(all[i], count, t);
      next_word_shift.push_back(mean(both.next_word));
      return predictions ? both.next_word : both.attention;
    };
    const double looping = mean(measured(texts, 0));
    const double plain = mean(measured(texts, kPlain));
    const double rho = nn::spearman(measured(3 * texts, kCold),
                                    repeated_share(texts_of(all[i], 3 * texts, kCold)));
    const double change =
        repetition(texts_of(all[i], texts, 0)) - repetition(texts_of(all[i], texts, kPlain));
    step.progress("read", static_cast<std::int64_t>(i) + 1, std::ssize(all));
    table.digits(3).row(fmt::format("seed {}", i), {looping, plain, looping - plain, rho, change},
                        i == 0 ? "less: T=0 to T=1" : "");
    shift_most = std::max(shift_most, std::abs(looping - plain));
    shift_least = std::min(shift_least, std::abs(looping - plain));
    change_mean += change / static_cast<double>(all.size());
    rho_least = std::min(rho_least, rho);
    rho_most = std::max(rho_most, rho);
    healthy.push_back(plain);
  }
  const course::Spread spread = course::spread_of(healthy);
  step.number("H between healthy models", spread.highest - spread.lowest,
              "models of different seeds at T = 1 differ by this", 3);

  step.number("next word's own entropy", next_word_shift[1],
              "nats, T = 1, seed 0; at T = 0 it is 0: here it shows", 3);
  step.predict("Loops take over at T = 0. What does the entropy of attention do?",
               {"it collapses", "it rises to ln n", "hardly anything"},
               shift_most < 0.15 ? 2
               : healthy[0] > 1  ? 0
                                 : 1);
  step.bars("seed 0: nats", {"T = 0", "T = 1"})
      .digits(2)
      .group("entropy of attention", {mean(writing_entropy(all[0], texts, 0).attention),
                                      mean(writing_entropy(all[0], texts, kPlain).attention)})
      .group("entropy of the next word", {next_word_shift[0], next_word_shift[1]});
  // A sign that all models share is what a diagnosis could go by.
  const bool one_sign = rho_most <= -0.35 || rho_least >= 0.35;
  step.claim("B53", Evidence::kTensor, /*cases=*/5 * texts * std::ssize(all))
      .seeds(static_cast<int>(all.size()))
      .as_stated(one_sign || shift_least >= 0.15)
      .right(!one_sign && shift_most < 0.15 && change_mean > 0.3)
      .value(shift_most)
      .expected("shift < 0.15 nats, no |rho| >= 0.35 of one sign, repetition changes by > 0.3")
      .tolerance(fmt::format("the bounds are the claim's; SE of rho {:.2f}, N={}",
                             1 / std::sqrt(3.0 * static_cast<double>(texts)), 3 * texts))
      .found(fmt::format("shift {:.3f}, rho {:.2f} to {:.2f}, repetition {:.2f}", shift_most,
                         rho_least, rho_most, change_mean));
  step.why(
      "Loops come from always taking the likeliest word. In them the maps of one model are a "
      "little sharper, those of the next a little flatter.");
  step.try_next({"./gradwalk run 15 --claim=B53 --break=predictions",
                 "./gradwalk run 15 --claim=B53 --predict"});
}

}  // namespace

course::Lesson lesson_15_repetition() {
  course::Lesson lesson(15, "repetition", "Why a model says the same thing again");
  lesson.seeds(/*full=*/3, /*quick=*/2, "models, each trained anew");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of the training of each model, 16 windows of 32 words"});
  lesson.parameter({.name = "texts",
                    .value = 48,
                    .quick = 24,
                    .min = 2,
                    .max = 1000,
                    .whole = true,
                    .what = "written by each model at each temperature"});
  lesson.sabotage("sees-all", "the model of the last word gets attention and positions");
  lesson.sabotage("upside-down", "logits are multiplied by the temperature");
  lesson.sabotage("predictions",
                  "the entropy of the next word is measured in place of that of attention");

  lesson.steps_stand_alone();
  lesson.step("A model that sees one word", last_word, {"B54"});
  lesson.step("Which way to turn the temperature", temperature, {"B55"});
  lesson.step("The other temperature: inside attention", attention_temperature);
  lesson.step("Does the entropy of attention tell?", entropy, {"B53"});
  return lesson;
}

}  // namespace gradwalk::lessons
