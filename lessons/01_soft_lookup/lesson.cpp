// Lesson 1: a dictionary with a temperature.
//
// Claims   B1, B21, B22, B23, B32: article 003, sections 1.1, 3.1 and 3.3, where attention is a
//          look-up by similarity that blends what it finds
// Builds   on nothing
// Run      ./gradwalk run 1 --step
//
// Four cards that fit on a page come first; then the same with random numbers, many seeds, and at
// last a model that learns to look up. lookup.h has the measures, layer_steps.cpp the second half.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "lessons/01_soft_lookup/layer_steps.h"
#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr DType kF64 = DType::kFloat64;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void blend(Step& step) {
  const double tau = step.parameter("tau");
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor w = softmax(s / tau, /*axis=*/-1);
  const Tensor answer = matmul(w, c.values);
  step.formula("s_j = q.k_j      K[4,2] q[2] -> s[4]   f64");
  step.formula(fmt::format("w_j = exp(s_j / tau) / sum_i exp(s_i / tau)      tau = {}", tau));
  step.formula("answer = sum_j w_j v_j      w[4] V[4,2] -> answer[2]");
  step.table("q = [0.1, 1.6] asks for hardly an animal, very much a vehicle", c.names)
      .digits(3)
      .row("key: animal", select(c.keys, 1, 0))
      .row("key: vehicle", select(c.keys, 1, 1))
      .row("score s", s, "how well the key fits the query")
      .row("weight w", w, "share in the answer")
      .row("value: legs", select(c.values, 1, 0))
      .row("value: wheels", select(c.values, 1, 1));
  step.number("answer, legs", answer.at({0}), "a blend: no card says so", 3);
  step.number("answer, wheels", answer.at({1}), "between car and bus", 3);
  auto bars = step.bars("share of each card", {"weight"});
  for (std::int64_t card = 0; card < 4; ++card) {
    bars.group(c.names[std::size_t(card)], {w.at({card})});
  }
  record_cards(step, c);
  step.tensor("s/tau", s / tau)
      .axes("card")
      .rows(c.names)
      .explain(Explain::contraction("c->c", {"s"}, 1 / tau));
  step.tensor("w", w).axes("card").rows(c.names).explain(Explain::softmax("s/tau"));
  step.tensor("answer", answer).axes("count").explain(Explain::contraction("c,ci->i", {"w", "V"}));
  const bool inside =
      answer.at({0}) >= 0 && answer.at({0}) <= 4 && answer.at({1}) >= 0 && answer.at({1}) <= 6;
  step.check("the weights sum to 1", std::abs(sum(w).item() - 1) < 1e-15);
  step.check("the answer lies between the smallest and the largest value", inside);
  step.why(
      "Nothing is picked out: each card gives a share, large where its key fits. A key that fits a "
      "bit better gives a bit more, so fitting can be learned.");
  step.try_next({"./gradwalk run 1 --set=tau=0.1", "./gradwalk run 1 --set=tau=10"});
}

void dot_products(Step& step) {
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor cosines = nn::cosine(c.keys, c.q);
  step.formula("q.k = |q| |k| cos(q, k)      K[64,32] q[32] -> s[64], 200 queries");
  step.table("the four cards", c.names)
      .digits(3)
      .row("dot product", s, "bus wins")
      .row("length |k|", nn::length(c.keys), "because its key is longer")
      .row("cos(q, k)", cosines, "car points closest");
  auto plane = step.plane_path("the query and the four keys", "animal", "vehicle");
  plane.arrow("q", c.q.at({0}), c.q.at({1}));
  for (std::int64_t card = 0; card < 4; ++card) {
    plane.arrow(c.names[std::size_t(card)], c.keys.at({card, 0}), c.keys.at({card, 1}));
  }
  const std::int64_t seeds = step.whole("seeds");
  auto table =
      step.table("200 queries: how often the best key by dot product is the best by cosine",
                 {"mean", "lowest", "highest"});
  const auto measure = [&](const std::string& name, double spread) {
    const bool equal = step.broken("equal-lengths");
    const course::Spread found = agreement_over_seeds(step, seeds, equal ? 0 : spread);
    table.digits(3).row(name, {found.mean, found.lowest, found.highest},
                        spread == 0 ? fmt::format("{} seeds, 64 keys of width 32", seeds) : "");
    return found;
  };
  const course::Spread one_length = measure("keys of one length", 0);
  const course::Spread some_spread = measure("lengths exp(z / 2)", 0.5);
  const course::Spread wide_spread = measure("lengths exp(z), z: N(0, 1)", 1);
  record_cards(step, c);
  const bool always = one_length.lowest == 1;
  step.claim("B21", Evidence::kTensor, /*cases=*/600 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(always && some_spread.lowest == 1 && wide_spread.lowest == 1)
      .right(always && wide_spread.highest < 0.5)
      .value(wide_spread.mean)
      .expected("one length: always; lengths exp(z): < 0.5")
      .tolerance("counts of queries: exact; in every seed")
      .found(fmt::format("one length {:.3f}, lengths exp(z) {:.3f}", one_length.mean,
                         wide_spread.mean));
  step.why(
      "A dot product is length times direction: a long key is heard even where it does not "
      "fit. Equal lengths leave the direction alone.");
  step.try_next({"./gradwalk run 1 --claim=B21 --break=equal-lengths", "./gradwalk claims B21"});
}

void competition(Step& step) {
  const bool alone = step.broken("sigmoid");
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor lift = vector({0, 0, 1, 0}, kF64);
  const Tensor w = shares(s, alone).value();
  const Tensor after = shares(s + lift, alone).value();
  const double factor = 1 / (1 + w.at({2}) * (std::exp(1) - 1));
  step.formula("w = softmax(s)      dw_i/ds_j = w_i (1[i=j] - w_j)      s[4] -> w[4], J[4,4]");
  step.formula("s_j + 1:   w_i' = w_i / (1 + w_j (e - 1)) for every i but j");
  const Tensor lost = w - after;
  const bool same_share = std::abs(after.at({0}) / w.at({0}) - after.at({3}) / w.at({3})) < 1e-12;
  const bool same_amount = std::abs(lost.at({0}) - lost.at({3})) < 1e-12;
  step.predict("The score of car rises by 1. What happens to the other three shares?",
               {"each loses the same amount", "each loses the same part of itself", "nothing"},
               same_amount  ? (lost.at({0}) == 0 ? 2 : 0)
               : same_share ? 1
                            : 0);
  step.table("the score of car is lifted by 1", c.names)
      .digits(4)
      .row("before", w, fmt::format("sum {:.4f}", sum(w).item()))
      .row("after", after, fmt::format("sum {:.4f}", sum(after).item()))
      .row("after / before", after / w, fmt::format("formula, all but car: {:.4f}", factor));
  auto bars = step.bars("shares", {"before", "after"});
  for (std::int64_t card = 0; card < 4; ++card) {
    bars.group(c.names[std::size_t(card)], {w.at({card}), after.at({card})});
  }
  record_cards(step, c);
  if (!alone) {
    step.tensor("w", w).axes("card").rows(c.names).explain(Explain::softmax("s"));
    step.tensor("J", jacobian_of_shares(s, alone))
        .axes("share of", "score of")
        .rows(c.names)
        .columns(c.names)
        .explain(Explain::custom([](const course::Index& at, const course::Operands& of) {
          const double own = at[0] == at[1] ? 1 : 0;
          const double wi = of("w", {at[0]});
          const double wj = of("w", {at[1]});
          course::Explanation e;
          e.value = wi * (own - wj);
          e.formula = fmt::format("w[{}] ({} - w[{}])", at[0], own, at[1]);
          e.lines = {fmt::format("{:.4f} * ({} - {:.4f})", wi, own, wj)};
          return e;
        }));
    step.heatmap("J[i,j] = dw_i/ds_j: a score (column) rises, all shares (rows) move", {"J"});
  }
  const std::int64_t seeds = step.whole("seeds");
  const Competition worst = competition_over_seeds(step, seeds, alone);
  const auto note = fmt::format("8 random scores, each lifted in turn, {} seeds", seeds);
  step.number("|sum of shares - 1|", worst.sum_off, note);
  step.number("largest dw_i/ds_j, i not j", worst.largest_other,
              "negative: a rise costs all others");
  step.number("|column sum of J|", worst.column_off, "what one gains the others lose");
  step.number("|after / before - formula|", worst.factor_off, "one factor for all the others");
  const bool competes = worst.sum_off < 8 * kEpsilon && worst.all_others_fall;
  step.claim("B32", Evidence::kTensor, /*cases=*/56 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(competes)
      .right(competes && worst.factor_off < 64 * kEpsilon && worst.column_off < 8 * kEpsilon &&
             worst.largest_other < 0)
      .value(worst.factor_off)
      .expected("sum 1, others fall by one factor")
      .tolerance("8 roundings of 1: 1.8e-15; a quotient of two shares: 1.4e-14")
      .found(fmt::format("sum off {:.1g}, factor off {:.1g}", worst.sum_off, worst.factor_off));
  step.why(
      "There is one whole to share: who gains takes from all others in proportion, so their "
      "order among each other stays.");
  step.try_next({"./gradwalk run 1 --claim=B32 --break=sigmoid"});
}

void temperature(Step& step) {
  const bool ignored = step.broken("no-temperature");
  const std::vector<double> taus = {10, 1, 0.3, 0.1, 0.03, 0.01};
  const std::int64_t keys = step.whole("keys");
  const std::int64_t d_k = step.whole("d_k");
  const std::int64_t queries = step.whole("queries");
  const std::int64_t seeds = step.whole("seeds");
  std::vector<Dictionary> dictionaries;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    dictionaries.emplace_back(keys, d_k, queries,
                              step.generator(fmt::format("dictionary {}", seed)));
  }
  const Cooling cooling =
      cool(dictionaries, ignored ? std::vector<double>(taus.size(), 1.0) : taus);
  step.formula(
      fmt::format("w_j = softmax(q.k_j / sqrt({1}) / tau)      K, V [{0},{1}], {2} queries", keys,
                  d_k, queries));
  step.formula(
      "entropy = -sum_j w_j ln w_j, in nats: ln n for n equal weights, 0 for a single one");
  step.formula("1 - w_best <= (n - 1) exp(-gap / tau)      gap: best score minus second best");
  auto table = step.table(fmt::format("means over the queries of {} seeds", seeds),
                          {"off the mean", "off the best", "best weight", "entropy"});
  std::vector<double> x, from_mean, error;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    const LookUp& mean = cooling.means[i];
    table.digits(3).row(
        fmt::format("tau {}", taus[i]), {mean.from_mean, mean.error, mean.max_weight, mean.entropy},
        i == 0 ? fmt::format("ln {} = {:.3f}: all alike", keys, std::log(double(keys))) : "");
    x.insert(x.begin(), std::log10(taus[i]));
    from_mean.insert(from_mean.begin(), mean.from_mean);
    error.insert(error.begin(), mean.error);
  }
  step.curves("distance of the answer to the mean of V and to the value of the best key",
              "log10 tau")
      .series("off the mean", x, from_mean)
      .series("off the best", x, error);
  const double unit_off = unit_keys_off(/*keys=*/16);
  step.number("queries beyond the bound", cooling.violations,
              fmt::format("of {}: 6 temperatures", 6 * queries * seeds));
  step.number("orthogonal keys: off formula", unit_off,
              "e^b / (e^b + 15) for the query b e_1, b = 1 ... 32");
  const bool look_up = cooling.falls && cooling.from_mean < 0.1;
  step.claim("B1", Evidence::kTensor, /*cases=*/6 * queries * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(look_up)
      .right(look_up && cooling.violations == 0 && unit_off < 16 * kEpsilon)
      .value(cooling.means.back().error)
      .expected("both fall with tau; tau 10: < 0.1 off the mean")
      .tolerance("orders: exact, in every seed; 16 roundings of 1: 3.6e-15")
      .found(fmt::format("off the best {:.3f} to {:.3f}, {} beyond the bound",
                         cooling.means[0].error, cooling.means.back().error, cooling.violations));
  step.why(
      "Dividing scores by a small tau widens every gap: the best key takes all, at the pace "
      "of its own lead over the second.");
  step.try_next({"./gradwalk run 1 --claim=B1 --set=keys=256",
                 "./gradwalk run 1 --claim=B1 --break=no-temperature"});
}

}  // namespace

course::Lesson lesson_01_soft_lookup() {
  course::Lesson lesson(1, "soft_lookup", "A dictionary with a temperature");
  lesson.parameter({.name = "tau",
                    .value = 1,
                    .min = 0.01,
                    .max = 100,
                    .what = "temperature of the first step, no unit"});
  lesson.seeds(/*full=*/5, /*quick=*/2);
  lesson.parameter({.name = "keys",
                    .value = 32,
                    .min = 2,
                    .max = 4096,
                    .whole = true,
                    .what = "keys of the random dictionary"});
  lesson.parameter({.name = "d_k",
                    .value = 16,
                    .min = 1,
                    .max = 1024,
                    .whole = true,
                    .what = "width of its keys and queries"});
  lesson.parameter({.name = "queries",
                    .value = 64,
                    .min = 1,
                    .max = 4096,
                    .whole = true,
                    .what = "queries that it is asked"});
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .quick = 250,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of training, batches of 32 pages"});
  lesson.sabotage("equal-lengths", "all keys have one length");
  lesson.sabotage("sigmoid", "each share comes from its own score alone");
  lesson.sabotage("no-temperature", "tau is 1 whatever is asked for");
  lesson.sabotage("flat-scores", "every token's score is 1/n");
  lesson.sabotage("no-scale", "the line that divides by sqrt(d_k) is left out");

  lesson.steps_stand_alone();
  lesson.step("Four cards and a question: the answer is a blend", blend);
  lesson.step("What a dot product compares: length counts too", dot_products, {"B21"});
  lesson.step("Softmax: one up, all others down by one factor", competition, {"B32"});
  lesson.step("Temperature: from blending to looking up", temperature, {"B1"});
  lesson.step("Many questions: rows are shares, columns are not", rows_and_columns, {"B22"});
  lesson.step("Four lines, and a library layer", four_lines, {"B23"});
  lesson.step("The same look-up, learned", learned);
  return lesson;
}

}  // namespace gradwalk::lessons
