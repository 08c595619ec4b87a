#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps/common.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/grammar.h"
#include "tensor/inplace.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void looked_at(Step& step) {
  const bool even = step.broken("even-maps");
  const std::int64_t models = step.whole("seeds");
  const auto n = static_cast<double>(models);
  ByKind text{}, weight{}, effect{}, lowest, highest{}, vocabulary{};
  lowest.fill(1e9);
  for (std::int64_t id = 0; id < tasks::kGrammarWords; ++id) {
    ++vocabulary[static_cast<std::size_t>(tasks::grammar_kind(id))];
  }
  for (std::int64_t model = 0; model < models; ++model) {
    LanguageReader reader = reader_of(step, model);
    const ByKind effects = effect_by_kind(weight_and_effect(step, reader, step.whole("windows")));
    reader.even_maps = even;
    const ByKind weights = weight_by_kind(step, reader), words = text_by_kind(reader);
    for (std::size_t kind = 0; kind < weight.size(); ++kind) {
      text[kind] += words[kind] / n;
      weight[kind] += weights[kind] / n;
      effect[kind] += effects[kind] / n;
      lowest[kind] = std::min(lowest[kind], weights[kind]);
      highest[kind] = std::max(highest[kind], weights[kind]);
    }
  }
  step.formula("weight: w_tj (t + 1), mean over the words of a kind; 1: an even share");
  step.formula("effect: as in the step before, nats      all heads of both layers");
  auto table = step.table(fmt::format("mean of {} models", models),
                          {"a word", "weight", "lowest", "highest", "effect"});
  table.digits({3, 2, 2, 2, 4});
  auto& bars = step.picture(course::Bars("weight over an even share", {"weight"}));
  bars.digits(2);
  for (std::size_t kind = 0; kind < weight.size(); ++kind) {
    const std::string name = tasks::name(static_cast<tasks::GrammarKind>(kind));
    table.row(
        name,
        {text[kind] / vocabulary[kind], weight[kind], lowest[kind], highest[kind], effect[kind]},
        kind == 0 ? "a word: how often one of them stands in the text" : "");
    bars.group(name, {weight[kind]});
  }
  const auto of = [](const ByKind& all, tasks::GrammarKind kind) {
    return all[static_cast<std::size_t>(kind)];
  };
  using enum tasks::GrammarKind;
  const double marks = of(weight, kMark), determiners = of(weight, kDeterminer);
  const double worth = of(effect, kMark) / of(effect, kNoun);
  step.predict("`a` and `the` are the most frequent words of all. How much weight do they get?",
               {"twice an even share or more", "about an even share", "hardly any"},
               determiners > 1.5   ? 0
               : determiners > 0.5 ? 1
                                   : 2);
  step.claim("B48", Evidence::kTensor, /*cases=*/models * 200 * 24)
      .seeds(static_cast<int>(models))
      .as_stated(marks > 1.15)
      .right(marks > 1.15 && determiners < marks && worth > 10)
      .value(marks)
      .interval(of(lowest, kMark), of(highest, kMark))
      .expected("marks > 1.15; determiners less; effect of marks > 10 x nouns")
      .tolerance("the bounds are the claim's; means of the models")
      .found(fmt::format("marks {:.2f}, determiners {:.2f}; effect of marks {:.0f} x nouns", marks,
                         determiners, worth));
  step.why(
      "Marks are looked at because they tell something: which topics may follow. The most frequent "
      "words of all get an even share: being frequent is not the reason.");
  step.try_next({"./gradwalk run 14 --claim=B48 --break=even-maps",
                 "./gradwalk run 14 --claim=B48 --predict"});
}

}  // namespace gradwalk::lesson_14
