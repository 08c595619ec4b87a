#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/07_what_is_needed/matching.h"
#include "lessons/07_what_is_needed/steps/steps.h"
#include "lessons/07_what_is_needed/tables.h"
#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/dictionary.h"
#include "tensor/create.h"
#include "tensor/random.h"

namespace gradwalk::lesson_07 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kPagesToLookAt = 1024;
constexpr std::int64_t kShownKeys = 8;

void record_keys(Step& step, const std::string& name, const tasks::DictionaryModel& model) {
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

}  // namespace

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
  step.picture(course::Heatmap(
      "scores of questions ?k (rows) with cards (columns), 8 of 16 keys: all three, W_K = W_Q, no "
      "matrix",
      {"s_full", "s_tied", "s_raw"}));
  auto weight_table = step.table("weight of the question ?k, first model of each, tables learn",
                                 {"card k+1", "itself", "card k-1", "all others"});
  weight_table.digits(3);
  QuestionWeights tied_asked{};
  for (const Matrices& matrices : {kAll, kTied, kNone}) {
    Generator pages = step.generator("pages to look at");
    const QuestionWeights asked = question_weights(
        trained_variant(step, options(matrices, true), 0, seeds).model, kPagesToLookAt, pages);
    weight_table.row(name_of(matrices), {asked.right, asked.itself, asked.before, asked.others});
    if (matrices == kTied) tied_asked = asked;
  }
  step.number("W_K = W_Q: wrong while it looks at itself", tied_asked.wrong_itself,
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
               tied_asked.itself > tied_asked.before ? 1 : 0);
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

}  // namespace gradwalk::lesson_07
