#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/18_both_sides/conditions.h"
#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/numbers/measures.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Evidence;
using course::Step;

constexpr double kAligned = 0.5;  // gap

constexpr double kAllInOrder = 0.95;  // share of heads

// Gaps and orders where one condition is taken away.
struct TakenAway {
  Models whole, drawn, nouns, one_key, sigmoid, linear, even;
};

TakenAway take_away(Step& step) {
  return {.whole = models_without(step, Without::kNothing),
          .drawn = models_without(step, Without::kQuestion),
          .nouns = models_without(step, Without::kNumbers),
          .one_key = models_without(step, Without::kOwnKeys),
          .sigmoid = models_without(step, Without::kCompetition),
          .linear = models_without(step, Without::kPositiveness),
          .even = models_without(step, Without::kScores)};
}

course::Spread gaps_of(const Models& models) { return course::spread_of(each(models, gap)); }

const char* what_is_left(const course::Spread& gaps) {
  return gaps.mean > kAligned    ? "a gap all the same"
         : gaps.mean < -kAligned ? "turned about"
                                 : "no gap";
}

bool none_without_need(const TakenAway& without, double bound) {
  return std::abs(gaps_of(without.drawn).mean) < bound && gaps_of(without.nouns).highest < -0.5;
}

}  // namespace

void all_three(Step& step) {
  const std::int64_t models = step.whole("seeds"), updates = step.whole("updates");
  const double bound = no_gap_below(models);
  const TakenAway without = take_away(step);
  step.formula("article: 1 the task needs numbers  2 their keys can be told apart");
  step.formula("         3 softmax makes keys compete; then q must turn to numbers");
  step.formula("needed: without it there is no gap");
  step.formula("enough: with all three there is one, in every model, nearly every head");
  step.formula("H heads: of width 16 / H (1: 8), each with its own q and keys");
  auto taken = step.table(fmt::format("one condition taken away, {} models", models),
                          {"lowest gap", "mean gap", "mean rho"});
  auto& bars = step.picture(course::Bars("mean gap", {"gap"}));
  const auto row = [&](const std::string& label, const Models& of) {
    const course::Spread gaps = gaps_of(of);
    taken.digits(2).row(label, {gaps.lowest, gaps.mean, mean_of(of, rho)}, what_is_left(gaps));
    bars.digits(2).group(label, {gaps.mean});
  };
  row("as it is", without.whole);
  row("1: answers drawn", without.drawn);
  row("1: asked for nouns", without.nouns);
  row("2: one key for all", without.one_key);
  row("3: sigmoid", without.sigmoid);
  row("3: linear", without.linear);
  row("3: even", without.even);
  auto heads =
      step.table("shares of heads", {"heads", "gap > 0.2", "at first", "lowest gap", "rho > 0.7"});
  std::vector<tasks::Alignment> many;  // heads of models that have several
  for (const std::int64_t count : {1, 4, 8}) {
    const Models found = count == 1
                             ? without.whole
                             : model_changes(step, training_with_heads(count, updates), models);
    const std::vector<tasks::Alignment> trained = all_heads(found);
    const HeadShares now = head_shares(trained);
    const HeadShares then = head_shares(all_heads(found, &ModelChange::heads_before));
    double lowest = 2;
    for (const tasks::Alignment& head : trained) lowest = std::min(lowest, head.gap());
    heads.digits({0, 2, 2, 2, 2})
        .row(fmt::format("H = {}", count),
             {static_cast<double>(trained.size()), now.with_gap, then.with_gap, lowest,
              now.with_order},
             count == 1 ? "at first: before training" : "");
    if (count > 1) many.insert(many.end(), trained.begin(), trained.end());
  }
  const HeadShares shares = head_shares(many);
  step.predict("Four or eight heads: how many of them come to fit numbers?",
               {"one of each model: that is enough", "about half", "nearly all"},
               shares.with_gap > 0.9   ? 2
               : shares.with_gap > 0.3 ? 1
                                       : 0);
  const course::Spread whole = gaps_of(without.whole), one_key = gaps_of(without.one_key);
  const course::Spread sigmoid = gaps_of(without.sigmoid);
  const course::Spread order = course::spread_of(each(without.one_key, rho));
  const double linear = gaps_of(without.linear).mean, even = gaps_of(without.even).mean;
  const bool first_needed = none_without_need(without, bound);
  const bool second_needed = one_key.mean < kAligned, third_needed = sigmoid.mean < kAligned;
  const bool enough = whole.lowest > kAligned && shares.with_gap >= nearly_all(models);
  const bool second_not = one_key.lowest > 1 && order.lowest == 0 && order.highest == 0;
  const bool third_not = sigmoid.lowest > 1 && std::abs(even) < bound && std::abs(linear) < bound;
  step.claim("A11", Evidence::kTensor, /*cases=*/models * 9)
      .seeds(static_cast<int>(models))
      .as_stated(first_needed && second_needed && third_needed && enough)
      .right(first_needed && second_not && third_not && enough && shares.with_order < kAllInOrder)
      .value(one_key.mean)
      .interval(one_key.lowest, one_key.highest)
      .expected(
          "gap: drawn none, nouns < -0.5, one key > 1 (rho 0), sigmoid > 1, linear and even "
          "none; nearly all heads > 0.2, not all in order")
      .tolerance(
          fmt::format("bounds of the rule; none: |mean| < {:.2f}; nearly all: {:.2f}, {} models",
                      bound, nearly_all(models), models))
      .found(fmt::format("drawn {:.2f}, nouns {:.2f}, one key {:.2f} (rho {:.2f}), sigmoid {:.2f}, "
                         "linear {:.2f}, even {:.2f}; heads {:.2f}, ordered {:.2f}",
                         gaps_of(without.drawn).mean, gaps_of(without.nouns).mean, one_key.mean,
                         order.highest, sigmoid.mean, linear, even, shares.with_gap,
                         shares.with_order));
  step.why(
      "All three are enough. Needed are the question and weights that rise with the score, "
      "positive ones; keys of their own are for order alone.");
  step.try_next({"./gradwalk run 18 --claim=A11 --break=own-keys",
                 "./gradwalk run 18 --claim=A11 --predict"});
}

}  // namespace gradwalk::lesson_18
