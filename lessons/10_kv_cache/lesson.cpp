// Lesson 10: the cache of keys and values.
//
// Claims   B17, B18, B19, B20, B49: article 003, sections 2.3 and 5.3, on what a model keeps while
//          it writes, what that saves and what it costs
// Builds   on lesson 1 (queries, keys, values) and lesson 9 (the mask)
// Run      ./gradwalk run 10 --step
//
// Five words come first, by hand; then a language model that writes with and without a cache.
// cost_steps.cpp has what that costs and saves, decoding.h and caches.h what is measured.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lessons/10_kv_cache/cost_steps.h"
#include "lessons/10_kv_cache/decoding.h"
#include "lessons/course/language_model.h"
#include "lessons/course/measure.h"
#include "lessons/course/module_weight.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

void five_words(Step& step) {
  const std::vector<std::string> words = {"why", "a", "shy", "fox", "hears"};
  const std::vector<std::string> four(words.begin(), words.end() - 1);
  Generator gen = step.generator("five words");
  const Tensor x = normal({5, 4}, gen);
  const nn::MultiHeadAttention layer(
      4, nn::Seed(step.seed()) / "kv_cache/five words",
      {.head_dim = 3,
       .causal = true,
       .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}});
  const NoGrad no_grad;
  nn::AttentionTrace before, now;
  layer(Variable(slice(unsqueeze(x, 0), 1, 0, 4)), {.trace = &before});
  layer(Variable(unsqueeze(x, 0)), {.trace = &now});
  const auto head = [](const Variable& all) { return select(select(all.value(), 0, 0), 0, 0); };
  const Tensor k4 = head(before.key), k5 = head(now.key), v5 = head(now.value);
  step.formula("to write: read the text, pick the next word, read that one too, ...");
  step.formula("each word is a vector x[4] and gives three vectors of 3 numbers:");
  step.formula("q = W_Q x: what it asks      k = W_K x: what it is found by");
  step.formula("v = W_V x: what it hands over to those that find it");
  step.formula("the newest asks: s_j = q.k_j / sqrt(3), how well word j fits");
  step.formula("w = softmax(s): shares, sum 1      answer = sum_j w_j v_j");
  step.formula("the mask: a word sees itself and those before it, none after it");
  const bool same = course::distance(k4, slice(k5, 0, 0, 4)) == 0;
  step.predict("\"hears\" is read after \"why a shy fox\". Which keys change?",
               {"all of them", "none: one more comes"}, same ? 1 : 0);
  step.table("computed for the fifth word", {"all again", "new ones"})
      .digits(0)
      .row("queries", {5, 1}, "the newest asks")
      .row("keys", {5, 1}, "four stay")
      .row("values", {5, 1}, "likewise")
      .row("scores", {25, 5}, "q with 5 keys; 25 with masked ones");
  step.table("how much of each value goes into its answer", words)
      .digits(3)
      .row("weight w", select(head(now.weights), 0, 4), "sum 1");
  step.tensor("x", x).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  step.tensor("W_Q", course::weight_of(layer, "q_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("W_K", course::weight_of(layer, "k_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("W_V", course::weight_of(layer, "v_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("K_four", k4)
      .axes("word", "component")
      .rows(four)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "x"}));
  step.tensor("K_five", k5)
      .axes("word", "component")
      .rows(words)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "x"}));
  step.tensor("V_five", v5)
      .axes("word", "component")
      .rows(words)
      .explain(Explain::contraction("ij,tj->ti", {"W_V", "x"}));
  step.tensor("q_new", select(head(now.query), 0, 4))
      .axes("component")
      .explain(Explain::contraction("ij,j->i", {"W_Q", "x[4]"}));
  step.tensor("s", select(head(now.scaled_scores), 0, 4))
      .axes("word")
      .rows(words)
      .explain(Explain::contraction("i,ti->t", {"q_new", "K_five"}, 1 / std::sqrt(3.0)));
  step.tensor("w", select(head(now.weights), 0, 4))
      .axes("word")
      .rows(words)
      .explain(Explain::softmax("s"));
  step.tensor("answer", select(head(now.head_outputs), 0, 4))
      .axes("component")
      .explain(Explain::contraction("t,ti->i", {"w", "V_five"}));
  step.heatmap("keys of four words, and of five: the same rows and a new one",
               {"K_four", "K_five"});
  step.check("the first four keys are the same bits", same);
  step.why(
      "k and v of a word need only its own x, so they can be kept: the cache. A new word needs "
      "one q, one k and one v.");
  step.try_next({"./gradwalk run 10 --step", "./gradwalk run 10 --help"});
}

void same_words(Step& step) {
  const bool masked = !step.broken("no-mask");
  const std::int64_t seeds = step.whole("seeds");
  const std::int64_t updates = step.whole("updates");
  constexpr std::int64_t first = 8;
  const std::vector<std::int64_t> kv_heads = {4, 2, 1};
  std::vector<double> off(kv_heads.size()), off64(kv_heads.size());
  std::vector<double> kept(2),
      freed = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::vector<std::vector<double>> curves;
  Texts all;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const std::uint64_t own = step.seed() + 1000 * static_cast<std::uint64_t>(seed);
    for (std::size_t i = 0; i < kv_heads.size(); ++i) {
      const course::LanguageModelOptions options{.kv_heads = kv_heads[i], .causal = masked};
      const auto model = course::new_language_model(options, own);
      const Tensor text = words_of(course::test_text(options, own), 32);
      off[i] = std::max(off[i], course::distance(logits_one_by_one(*model, text),
                                                 course::logits_at_once(*model, text)));
      const auto exact = in_float64(*model);
      off64[i] = std::max(off64[i], course::distance(logits_one_by_one(*exact, text),
                                                     course::logits_at_once(*exact, text)));
      if (i > 0) continue;
      const auto with = moves_of_old_keys(*model, text, first);
      const auto without = moves_of_old_keys(*with_mask(*model, false), text, first);
      for (std::size_t l = 0; l < 2; ++l) {
        kept[l] = std::max(kept[l], *std::max_element(with[l].begin(), with[l].end()));
        freed[l] = std::min(freed[l], without[l].back());
      }
      if (seed == 0) curves = {with[1], without[1]};
    }
    const course::LanguageModelOptions options{.steps = updates};
    const auto trained =
        course::trained_language_model(options, own, [&](std::int64_t done, std::int64_t total) {
          step.progress("train", seed * total + done, seeds * total);
        });
    const Texts texts = write_twice(*with_mask(*trained.model, masked),
                                    std::span(course::test_text(options, own)).first(first));
    all.words += texts.words;
    all.equal += texts.equal;
    if (seed == 0) all.text = texts.text;
  }
  step.formula("a model stacks layers: what one answers, the next one reads");
  step.formula("layer 0: k and v of word t come from word t alone");
  step.formula("layer 1: from answers of layer 0, which know words 0 ... t (mask)");
  step.formula("so they stay, in every layer: keep them, append the new ones");
  step.formula("logits: one number for each of 40 words, how well it would go on");
  step.formula("kv heads: heads with keys and values; the 4 query heads share them");
  auto moves =
      step.table(fmt::format("how far K and V of the first {} words move while {} more are read",
                             first, 32 - first),
                 {"layer 0", "layer 1"});
  moves.digits({-1, -1})
      .row("with the mask", kept, fmt::format("most of {} models; a share of their size", seeds))
      .row("without the mask", freed, "least of them: old words hear new ones");
  step.table("logits with a cache against all at once: largest difference",
             {"4 kv heads", "2", "1"})
      .digits({-1, -1, -1})
      .row("float32", off, fmt::format("{} models, 32 words", seeds))
      .row("float64", off64, "rounding");
  step.predict("The cached model writes a text. How many words differ from the slow one's?",
               {"a few", "none"}, all.equal == all.words ? 1 : 0);
  step.number("words that are the same", static_cast<double>(all.equal),
              fmt::format("of {} x {}, the likeliest each time; {} given, then: {} ...", seeds,
                          all.words / std::max<std::int64_t>(seeds, 1), first, all.text));
  std::vector<double> lengths;
  for (std::size_t n = 0; n < curves[0].size(); ++n)
    lengths.push_back(static_cast<double>(first + static_cast<std::int64_t>(n)));
  step.curves("layer 1, first model: how far keys and values of the first 8 words have moved",
              "words read")
      .series("with the mask", lengths, curves[0])
      .series("without", lengths, curves[1]);
  const double worst = *std::max_element(off.begin(), off.end());
  const double moved = std::max(kept[0], kept[1]);
  const bool exact = worst < 1e-5 && moved < 1e-5 && all.equal == all.words && all.words > 0;
  step.claim("B17", Evidence::kTensor, /*cases=*/3 * 32 * seeds + all.words)
      .seeds(static_cast<int>(seeds))
      .as_stated(exact)
      .right(exact && freed[0] < 1e-5 && freed[1] > 0.05)
      .value(worst)
      .expected("cached = full; without the mask layer 1 moves > 0.05")
      .tolerance("1e-5: float32, where sums of 64 products follow each other")
      .found(fmt::format("off by {:.1g}, {} of {} words, unmasked layer 1 moves {:.2f}", worst,
                         all.equal, all.words, freed[1]));
  step.why(
      "The mask makes the past deaf to the future, so what was computed for a token stays "
      "right. Without it a cache would hold stale keys.");
  step.try_next({"./gradwalk run 10 --claim=B17 --break=no-mask",
                 "./gradwalk run 10 --claim=B17 --set=updates=0"});
}

}  // namespace

course::Lesson lesson_10_kv_cache() {
  course::Lesson lesson(10, "kv_cache", "What a model keeps while it writes");
  lesson.seeds(/*full=*/5, /*quick=*/2, "models of the second step");
  lesson.parameter({.name = "updates",
                    .value = 150,
                    .quick = 100,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of training before the second step's models write, 16 windows each"});
  lesson.parameter({.name = "longest",
                    .value = 2048,
                    .quick = 512,
                    .min = 64,
                    .max = 8192,
                    .whole = true,
                    .what = "tokens that are read before one more, in the third step"});
  lesson.parameter({.name = "room",
                    .value = 2048,
                    .quick = 1024,
                    .min = 64,
                    .max = 16384,
                    .whole = true,
                    .what = "tokens that go into the caches of the fourth step"});
  lesson.parameter({.name = "batch",
                    .value = 16,
                    .min = 2,
                    .max = 1024,
                    .whole = true,
                    .what = "texts that are written side by side, in the last step"});
  lesson.sabotage("no-mask", "every word sees the whole text, also what comes after it");
  lesson.sabotage("no-cache", "the step with a cache computes all tokens anew");
  lesson.sabotage("grow-by-one",
                  "the cache that has its room from the start grows by one all the same");
  lesson.sabotage("query-heads", "a cache keeps keys and values for every query head");
  lesson.sabotage("one-kv-head", "all query heads share one head of keys and values");

  lesson.steps_stand_alone();
  lesson.step("Five words: what the fifth one changes", five_words);
  lesson.step("The same words, with a cache and without", same_words, {"B17"});
  lesson.step("What one more token costs", cost, {"B20"});
  lesson.step("Room for the next token", room, {"B49"});
  lesson.step("How large a cache is", size, {"B18"});
  lesson.step("The cache beside the parameters", beside_parameters, {"B19"});
  return lesson;
}

}  // namespace gradwalk::lessons
