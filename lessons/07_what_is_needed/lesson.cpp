// Lesson 7: which of W_Q, W_K, W_V attention needs, and what for.
//
// Claims   B4, B7, B31, B46: article 003, sections 1.2, 2.1, 3.3 and 5.2, on what is lost without
//          the three matrices, or when two of them change places
// Builds   on lesson 1 (the dictionary) and lesson 2 (the three maps)
// Run      ./gradwalk run 7 --step
//
// variants.h trains models that lack some of the matrices, matching.h looks at their scores;
// steps.h says where the later steps stand.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lessons/07_what_is_needed/matching.h"
#include "lessons/07_what_is_needed/steps.h"
#include "lessons/07_what_is_needed/variants.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kTokens = 16, kWidth = 16, kShownTokens = 6, kShownKeys = 8;
constexpr std::int64_t kPagesToLookAt = 1024;
constexpr DType kF64 = DType::kFloat64;
constexpr double kGap = 0.2;  // nats a word, or share of answers

/// The scores of random tokens with themselves, over several pairs of inputs.
struct RawScores {
  double asymmetry = 0;
  double deviation = std::numeric_limits<double>::infinity();
  double change = std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double own_best = 1;
  Tensor first, second;  ///< the first pair of inputs, [16, 16]
};

RawScores raw_scores(Step& step, bool same_x) {
  RawScores all;
  Generator generator = step.generator("tokens");
  const auto tokens = [&] {
    const Tensor x = normal({kTokens, kWidth}, generator, kF64);
    return same_x ? matmul(ones({kTokens, 1}, kF64), slice(x, 0, 0, 1)) : x;
  };
  for (std::int64_t pair = 0; pair < step.whole("inputs"); ++pair) {
    const Tensor x = tokens(), other = tokens();
    const Tensor scores = matmul(x, transpose(x)), others = matmul(other, transpose(other));
    const ScoreFacts facts = facts_of(scores);
    all.asymmetry = std::max(all.asymmetry, facts.asymmetry);
    all.deviation = std::min(all.deviation, facts.deviation);
    all.change = std::min(all.change, relative_change(others, scores));
    all.smallest = std::min(all.smallest, facts.smallest);
    all.own_best = std::min(all.own_best, facts.own_best);
    if (pair == 0) all.first = x, all.second = other;
  }
  return all;
}

void record_scores(Step& step, const std::string& name, const Tensor& x) {
  const Tensor shown = slice(x, 0, 0, kShownTokens);
  step.tensor("x_" + name, shown)
      .axes("token", "component")
      .explain(Explain::given("N(0, 1), the first 6 of 16 tokens"));
  step.tensor("s_" + name, matmul(shown, transpose(shown)))
      .axes("token that asks", "token that is asked")
      .explain(Explain::contraction("ic,jc->ij", {"x_" + name, "x_" + name}));
}

void x_three_times(Step& step) {
  const std::int64_t seeds = step.whole("seeds"), inputs = step.whole("inputs");
  const RawScores raw = raw_scores(step, step.broken("same-x"));
  const auto lookup = [&](const Matrices& matrices, bool tables, double mark = 1) {
    return variant_over_seeds(
        step,
        {.matrices = matrices, .tables = tables, .mark = mark, .updates = step.whole("updates")},
        seeds);
  };
  step.formula("Q = K = V = x: no weight at all in attention      S = X X^T, s_ij = x_i.x_j");
  step.formula("a page: 8 cards x_j = key_j + value_j, then a question x_8 = key + mark");
  step.formula("asked for: the value of the card with that key, one of 16; d = 32, one head");
  step.number("largest |s_ij - s_ji|", raw.asymmetry, "symmetric, as x_i.x_j = x_j.x_i");
  step.number(
      "standard deviation of the scores", raw.deviation,
      fmt::format("16 tokens of 16 numbers, smallest of {} inputs; a constant has 0", inputs), 2);
  step.number("|S' - S| / |S|", raw.change, "for other tokens, smallest: S hangs on the input", 2);
  step.number("smallest u^T S u with |u| = 1", raw.smallest, "never below 0: it is |X^T u|^2");
  step.number("rows that like themselves best", raw.own_best,
              "share, smallest; of tokens of one length all", 3);
  record_scores(step, "one", raw.first);
  record_scores(step, "other", raw.second);
  step.heatmap(
      "x_i.x_j of six tokens, and of six others: far from constant, and largest with itself",
      {"s_one", "s_other"});

  const VariantSpread all = lookup(kAll, true), none = lookup(kNone, true);
  const VariantSpread all_fixed = lookup(kAll, false), none_fixed = lookup(kNone, false);
  VariantTable table(step);
  table.row("all matrices, tables learn", all);
  table.row("no matrix, tables learn", none, "x itself moves until it fits: slower");
  table.row("all matrices, tables fixed", all_fixed);
  table.row("no matrix, tables fixed", none_fixed, "only the readout learns");
  table.row("the same, mark times 0.5", lookup(kNone, false, 0.5),
            "the question matches itself less");
  table.row("the same, mark times 1.5", lookup(kNone, false, 1.5), "it matches little but itself");
  step.number("guessing blindly", 1.0 / 16, "one of 16 values", 4);
  step.curves("model 0: loss in nats, mean of 20 updates", "updates")
      .series("all", all.losses)
      .series("none", none.losses)
      .series("all, fixed", all_fixed.losses)
      .series("none, fixed", none_fixed.losses);
  const VariantLosses language = language_row(step, kAll), raw_language = language_row(step, kNone);
  language_table(step, {language, raw_language});
  const double gap = smallest_gap(raw_language, language);
  step.predict("No W_Q, no W_K, no W_V, but x may move: what becomes of the look-up?",
               {"nothing is learned", "it is learned, only later"},
               none.accuracy.lowest > 0.95 ? 1 : 0);
  const bool constant = raw.deviation < 1;
  const bool learns = none.accuracy.lowest > 0.95;
  const bool weaker = none_fixed.accuracy.highest < 0.95 &&
                      none_fixed.accuracy.mean < all_fixed.accuracy.lowest - kGap && gap > kGap;
  step.claim("B7", Evidence::kTensor, /*cases=*/256 * inputs + 4 * 1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(constant && !learns)
      .right(!constant && raw.change > 0.5 && learns && weaker)
      .value(raw.deviation)
      .expected("deviation > 1, change > 0.5; right > 0.95; fixed: mean lower by 0.2; +0.2 nats")
      .tolerance("the bounds are the claim's; in every input and model, fixed also < 0.95")
      .found(fmt::format("deviation {:.1f}; right {:.3f}, fixed {:.2f}; language +{:.2f}",
                         raw.deviation, none.accuracy.mean, none_fixed.accuracy.mean, gap));
  step.why(
      "x.x is no constant: it passes gradients to x, so a model can bend x. Fixed tables leave it "
      "with what they match by themselves: each token with itself.");
  step.try_next(
      {"./gradwalk run 7 --claim=B7 --break=same-x", "./gradwalk run 7 --claim=B7 --predict"});
}

void record_keys(Step& step, const std::string& name, const course::DictionaryModel& model) {
  const KeyTable table = key_table(model, kShownKeys);
  std::vector<std::string> questions, cards;
  for (std::int64_t key = 0; key < kShownKeys; ++key) {
    questions.push_back(fmt::format("?{}", key));
    cards.push_back(fmt::format("{}", key));
  }
  step.tensor("q_" + name, table.query)
      .axes("question", "component")
      .rows(questions)
      .explain(Explain::given("queries of the questions for keys 0 to 7, first model"));
  step.tensor("k_" + name, table.key)
      .axes("card", "component")
      .rows(cards)
      .explain(Explain::given("keys of cards 0 to 7 that hold the mean of all values"));
  step.tensor("s_" + name, table.scores)
      .axes("question", "card")
      .rows(questions)
      .columns(cards)
      .explain(Explain::contraction("ic,jc->ij", {"q_" + name, "k_" + name}, 1 / std::sqrt(32.0)));
}

void ask_for_the_next(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const std::int64_t shift = step.broken("ask-same-key") ? 0 : 1;
  const auto options = [&](const Matrices& matrices, bool tables) {
    return VariantOptions{
        .matrices = matrices, .tables = tables, .shift = shift, .updates = step.whole("updates")};
  };
  const auto lookup = [&](const Matrices& matrices, bool tables) {
    return variant_over_seeds(step, options(matrices, tables), seeds);
  };
  const VariantSpread full = lookup(kAll, true), tied = lookup(kTied, true);
  const VariantSpread none = lookup(kNone, true);
  const VariantSpread full_fixed = lookup(kAll, false), tied_fixed = lookup(kTied, false);
  const VariantSpread key_fixed = lookup(kNoKey, false);
  step.formula("the question k asks for the card k + 1 (mod 16): what asks is not what is found");
  step.formula("s_ij = x_i M x_j^T / sqrt(32), M = W_Q^T W_K");
  step.formula("all three: M is free      W_K = W_Q: M = M^T      no matrix: M = 1");
  VariantTable table(step);
  table.row("all three", full);
  table.row("W_K = W_Q", tied, "symmetric: q.k = k.q");
  table.row("Q = K = V = x", none, "symmetric; only x can move");
  table.row("all three, tables fixed", full_fixed);
  table.row("K = x, tables fixed", key_fixed, "one matrix less, but M = W_Q^T is free");
  table.row("W_K = W_Q, tables fixed", tied_fixed);
  for (const auto& [name, matrices] : {std::pair{"full", kAll}, {"tied", kTied}, {"raw", kNone}}) {
    record_keys(step, name, trained_variant(step, options(matrices, true), 0, seeds).model);
  }
  step.heatmap(
      "scores of questions ?k (rows) with cards (columns), 8 of 16 keys: all three, W_K = W_Q, no "
      "matrix",
      {"s_full", "s_tied", "s_raw"});
  auto looks = step.table("weight of the question ?k, first model of each, tables learn",
                          {"card k+1", "itself", "card k-1", "all others"});
  looks.digits(3);
  QuestionLook tied_look{};
  for (const Matrices& matrices : {kAll, kTied, kNone}) {
    Generator pages = step.generator("pages to look at");
    const QuestionLook look = question_look(
        trained_variant(step, options(matrices, true), 0, seeds).model, kPagesToLookAt, pages);
    looks.row(name_of(matrices), {look.right, look.itself, look.before, look.others});
    if (matrices == kTied) tied_look = look;
  }
  step.number("W_K = W_Q: wrong while it looks at itself", tied_look.wrong_itself,
              "share of its errors where ?k has more weight than any card", 3);
  const VariantLosses language = language_row(step, kAll), raw = language_row(step, kNone);
  language_table(step, {language, even_row(step), raw});
  const double gap = smallest_gap(raw, language);
  double symmetric = 0, symmetric_highest = 0;  // means of models, models
  for (const VariantSpread* one : {&tied, &none, &tied_fixed}) {
    symmetric = std::max(symmetric, one->accuracy.mean);
    symmetric_highest = std::max(symmetric_highest, one->accuracy.highest);
  }
  const double free = std::min(full.accuracy.lowest, full_fixed.accuracy.lowest);
  step.predict("W_K = W_Q, and ?3 asks for card 4. Who takes weight away from card 4?",
               {"card 2, which asks for card 3", "?3 itself"},
               tied_look.itself > tied_look.before ? 1 : 0);
  const bool holds = free >= 0.98 && symmetric <= 0.92 && symmetric_highest < 0.98 && gap > kGap;
  step.claim("B4", Evidence::kTensor, /*cases=*/6 * 1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(holds)
      .right(holds && key_fixed.accuracy.lowest >= 0.98)
      .value(symmetric)
      .expected("free >= 0.98, also K = x; symmetric < 0.98, means <= 0.92; language: > 0.2 nats")
      .tolerance("the bounds are the claim's; of tied models one may come near, not their mean")
      .found(fmt::format("free {:.3f}, symmetric {:.3f} (one model {:.3f}); language +{:.2f}", free,
                         symmetric, symmetric_highest, gap));
  step.why(
      "If W_K = W_Q, q.q = |q|^2, which only a longer key can beat: the question looks at "
      "itself, most of all where it errs. A free M has no such bond.");
  step.try_next({"./gradwalk run 7 --claim=B4 --break=ask-same-key",
                 "./gradwalk run 7 --claim=B4 --predict"});
}

}  // namespace

course::Lesson lesson_07_what_is_needed() {
  course::Lesson lesson(7, "what_is_needed", "What attention needs: W_Q, W_K, W_V taken away");
  lesson.seeds(/*full=*/3, /*quick=*/1, "models of each kind");
  lesson.parameter({.name = "inputs",
                    .value = 5,
                    .min = 1,
                    .max = 1000,
                    .whole = true,
                    .what = "pairs of random inputs whose scores are looked at"});
  lesson.parameter({.name = "updates",
                    .value = 800,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of a look-up model at most, 32 pages each"});
  lesson.parameter({.name = "language_updates",
                    .value = 300,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of a language model"});
  lesson.parameter({.name = "swap_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of one whose W_Q and W_K are swapped then"});
  lesson.parameter({.name = "windows",
                    .value = 16,
                    .min = 1,
                    .max = 128,
                    .whole = true,
                    .what = "of 32 words in each of those updates"});
  lesson.sabotage("ask-same-key", "the question k asks for the card k itself");
  lesson.sabotage("same-x", "all tokens of an input are the same x");
  lesson.sabotage("left-out", "W_K and W_V are left out instead of multiplied into W_Q and W_O");
  lesson.sabotage("same-matrix", "W_K is set to W_Q before the two are swapped");

  lesson.steps_stand_alone();
  lesson.step("x three times over: are the scores constant?", x_three_times, {"B7"});
  lesson.step("Asking for the next key", ask_for_the_next, {"B4"});
  lesson.step("Taking the matrices away, one by one", take_matrices_away, {"B31"});
  lesson.step("Swapping queries and keys", swap_query_and_key, {"B46"});
  return lesson;
}

}  // namespace gradwalk::lessons
