#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr DType kF64 = DType::kFloat64;

GrammarReader reader_of(Step& step, std::int64_t model) {
  return {.updates = step.whole("language_updates"),
          .seed = 100 * step.seed() + static_cast<std::uint64_t>(model)};
}

/// Words of a window by weight, the heaviest first.
std::vector<std::int64_t> by_weight(const Tensor& weights) {
  const std::vector<double> all = weights.to_vector();
  std::vector<std::int64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return all[static_cast<std::size_t>(a)] > all[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Mean effect of the word with the r-th largest weight.
std::vector<double> effect_by_rank(const WeightAndEffect& found) {
  const std::int64_t windows = found.weights.shape()[0];
  std::vector<double> means(static_cast<std::size_t>(found.weights.shape()[1]), 0);
  for (std::int64_t window = 0; window < windows; ++window) {
    const std::vector<std::int64_t> order = by_weight(select(found.weights, 0, window));
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      means[rank] += found.effects.at({window, order[rank]}) / static_cast<double>(windows);
    }
  }
  return means;
}

/// The text in which the word with most weight is worth least beside the one that is worth most.
std::int64_t most_misleading(const WeightAndEffect& found) {
  std::int64_t text = 0;
  double worst = -1;
  for (std::int64_t at = 0; at < found.weights.shape()[0]; ++at) {
    const Tensor effects = select(found.effects, 0, at);
    const std::int64_t heaviest = by_weight(select(found.weights, 0, at)).front();
    const double missed = max(effects).item() - effects.at({heaviest});
    if (missed > worst) text = at;
    worst = std::max(worst, missed);
  }
  return text;
}

}  // namespace

void silent_word(Step& step) {
  constexpr std::int64_t words = 12, d = 4;
  Generator gen = step.generator("silent word");
  const Tensor s = normal({words}, gen, kF64), v = normal({words, d}, gen, kF64);
  fill(slice(s, 0, 0, 1), 5);
  fill(select(v, 0, 0), 0);
  const auto outcome = [](const Tensor& weights, const Tensor& values) {
    return squeeze(matmul(unsqueeze(weights, 0), values), 0);
  };
  const Tensor w = softmax(s, 0), o = outcome(w, v);
  const Tensor s_rest = slice(s, 0, 1, words), v_rest = slice(v, 0, 1, words);
  const Tensor w_rest = softmax(s_rest, 0), o_rest = outcome(w_rest, v_rest);
  const double weight = w.at({0}), length = nn::length(o).item(),
               hidden = nn::length(o_rest).item();
  step.formula("o = sum_j w_j v_j      12 words; word 0 has the score 5 and the value 0");
  const double added = weight * nn::length(select(v, 0, 0)).item();
  step.predict("Word 0 gets nine tenths of the weight. How much of the output is its own?",
               {"nine tenths", "one tenth", "nothing"},
               added == 0             ? 2
               : added < 0.5 * length ? 1
                                      : 0);
  step.table("three answers to: how important is word 0?", {"word 0"})
      .digits(3)
      .row("its weight w_0", {weight}, "nearly all")
      .row("what it adds, |w_0 v_0|", {added}, "nothing")
      .row("hidden: |o'| / |o|", {hidden / length},
           "the others share its weight: 1 / (1 - w_0) times as loud");
  step.tensor("s", s).axes("word").explain(Explain::given("5 for word 0, the others N(0, 1)"));
  step.tensor("w", w).axes("word").explain(Explain::softmax("s"));
  step.tensor("v", v)
      .axes("word", "component")
      .explain(Explain::given("0 for word 0, else N(0, 1)"));
  step.tensor("o", o).axes("component").explain(Explain::contraction("j,jc->c", {"w", "v"}));
  step.tensor("s_rest", s_rest).axes("word").explain(Explain::given("s without word 0"));
  step.tensor("w_rest", w_rest).axes("word").explain(Explain::softmax("s_rest"));
  step.tensor("v_rest", v_rest)
      .axes("word", "component")
      .explain(Explain::given("v without word 0"));
  step.tensor("o_rest", o_rest)
      .axes("component")
      .explain(Explain::contraction("j,jc->c", {"w_rest", "v_rest"}));
  auto bars = step.bars("weight, and length of what is added", {"w_j", "|w_j v_j|"});
  bars.digits(3);
  for (std::int64_t word = 0; word < words; ++word) {
    bars.group(fmt::format("word {}", word),
               {w.at({word}), w.at({word}) * nn::length(select(v, 0, word)).item()});
  }
  step.check("hidden, the output keeps its direction and is 1 / (1 - w_0) times as long",
             course::relative_distance(o_rest, o / (1 - weight)) < 1e-12, "float64");
  step.why(
      "A softmax must put its weight somewhere. A head with nothing to say puts it on a word with "
      "no value: a volume knob, not a source.");
  step.try_next({"./gradwalk run 14 --from=6 --seed=2"});
}

void weight_or_effect(Step& step) {
  const bool shifted = step.broken("shifted-keys");
  const std::int64_t models = step.whole("seeds"), windows = step.whole("windows");
  step.formula("weight of word j: w_tj of the last word t = 23, mean of all heads");
  step.formula("effect of word j: KL = sum p ln(p / p'), nats");
  step.formula("p: prediction of the next word, p': the same with word j hidden from all heads");
  auto table = step.table(fmt::format("{} texts, 24 words", windows),
                          {"order", "first", "order, dw", "first, dw"});
  double first_most = 0, first_least = 1, order_least = 1;
  std::vector<double> by_rank(24, 0);
  for (std::int64_t model = 0; model < models; ++model) {
    const GrammarReader reader = reader_of(step, model);
    const WeightAndEffect& found = weight_and_effect(step, reader, windows);
    const std::int64_t words = found.weights.shape()[1];
    const Agreement effect = shifted ? order_agreement(slice(found.weights, 1, 1, words),
                                                       slice(found.effects, 1, 0, words - 1))
                                     : order_agreement(found.weights, found.effects);
    const Agreement gradient = agreement_with_gradient(step, reader);
    table.digits(3).row(
        fmt::format("model {}", model),
        {effect.spearman, effect.first, gradient.spearman, gradient.first},
        model == 0 ? "order: rank correlation; first: same word in front; dw: |w dL/dw|" : "");
    first_most = std::max({first_most, effect.first, gradient.first});
    first_least = std::min({first_least, effect.first, gradient.first});
    order_least = std::min({order_least, effect.spearman, gradient.spearman});
    const std::vector<double> ranks = effect_by_rank(found);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      by_rank[rank] += ranks[rank] / static_cast<double>(models);
    }
  }
  step.predict("In how many texts is the word with most weight the one that matters most?",
               {"in all", "in about half to three quarters", "hardly ever"},
               first_least > 0.9   ? 0
               : first_least > 0.3 ? 1
                                   : 2);
  const WeightAndEffect& one = weight_and_effect(step, reader_of(step, 0), windows);
  const std::int64_t chosen = most_misleading(one);
  const Tensor weights = select(one.weights, 0, chosen), effects = select(one.effects, 0, chosen);
  auto text = step.table("the most misleading text of model 0: six words with most weight",
                         {"weight", "effect"});
  text.digits({3, 4});
  const std::vector<std::int64_t> order = by_weight(weights);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    const std::int64_t at = order[rank];
    const auto id = static_cast<std::int64_t>(one.words.at({chosen, at}));
    text.row(fmt::format("word {}: {}", at, course::grammar_word(id)),
             {weights.at({at}), effects.at({at})}, rank == 0 ? "effect: nats" : "");
  }
  std::vector<double> ranks(by_rank.size());
  std::iota(ranks.begin(), ranks.end(), 1.0);
  step.curves("effect of the word with the r-th largest weight, mean, nats", "r")
      .series("effect", ranks, by_rank);
  const bool hint_fails = first_most < 0.8;
  step.claim("B47", Evidence::kTensor, /*cases=*/models * windows)
      .seeds(static_cast<int>(models))
      .as_stated(hint_fails)
      .right(hint_fails && order_least > 0.3)
      .value(first_most)
      .interval(first_least, first_most)
      .expected("same first < 0.8, same order > 0.3")
      .tolerance("the bounds are the claim's; every model, by both measures")
      .found(fmt::format("same first {:.2f} to {:.2f}, same order {:.2f} or more", first_least,
                         first_most, order_least));
  step.why(
      "Weight says how much is taken, not what it is worth, and what is taken may also come by "
      "another head. It is a good hint, and no proof.");
  step.try_next({"./gradwalk run 14 --claim=B47 --break=shifted-keys",
                 "./gradwalk run 14 --claim=B47 --predict"});
}

void looked_at(Step& step) {
  const bool even = step.broken("even-maps");
  const std::int64_t models = step.whole("seeds");
  const auto n = static_cast<double>(models);
  ByKind text{}, weight{}, effect{}, lowest, highest{}, vocabulary{};
  lowest.fill(1e9);
  for (std::int64_t id = 0; id < course::kGrammarWords; ++id) {
    ++vocabulary[static_cast<std::size_t>(course::grammar_kind(id))];
  }
  for (std::int64_t model = 0; model < models; ++model) {
    GrammarReader reader = reader_of(step, model);
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
  auto bars = step.bars("weight over an even share", {"weight"});
  bars.digits(2);
  for (std::size_t kind = 0; kind < weight.size(); ++kind) {
    const std::string name = course::name(static_cast<course::GrammarKind>(kind));
    table.row(
        name,
        {text[kind] / vocabulary[kind], weight[kind], lowest[kind], highest[kind], effect[kind]},
        kind == 0 ? "a word: how often one of them stands in the text" : "");
    bars.group(name, {weight[kind]});
  }
  const auto of = [](const ByKind& all, course::GrammarKind kind) {
    return all[static_cast<std::size_t>(kind)];
  };
  using enum course::GrammarKind;
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

}  // namespace gradwalk::lessons
