#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps/common.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/grammar.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Step;

// Words of a window by weight, the heaviest first.
std::vector<std::int64_t> by_weight(const Tensor& weights) {
  const std::vector<double> all = weights.to_vector();
  std::vector<std::int64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return all[static_cast<std::size_t>(a)] > all[static_cast<std::size_t>(b)];
  });
  return order;
}

// Mean effect of the word with the r-th largest weight.
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

// The text in which the word with most weight is worth least beside the one that is worth most.
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
    const LanguageReader reader = reader_of(step, model);
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
    text.row(fmt::format("word {}: {}", at, tasks::grammar_word(id)),
             {weights.at({at}), effects.at({at})}, rank == 0 ? "effect: nats" : "");
  }
  std::vector<double> ranks(by_rank.size());
  std::iota(ranks.begin(), ranks.end(), 1.0);
  step.picture(course::Curves("effect of the word with the r-th largest weight, mean, nats", "r"))
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

}  // namespace gradwalk::lesson_14
