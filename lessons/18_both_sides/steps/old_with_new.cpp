#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/18_both_sides/balance.h"
#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "lessons/tasks/training.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kDescents = 3;  // models of plain descent, beside the others

template <std::size_t query, std::size_t keys>
double crossed(const ModelChange& m) {
  return m.gaps[query][keys];
}

// Query and keys of model 0, old and new, and the gap of each pair; a picture of the mean gaps.
void record_pairs(Step& step, const tasks::NumberTraining& training, const Models& models) {
  const std::vector<std::string> age = {"old", "new"};
  const tasks::NumberTask& task = training.task;
  const auto heads = head_before_and_after(step, training);
  std::vector<std::string> tokens;
  std::vector<double> share;
  for (std::int64_t v = 0; v < task.numbers; ++v) {
    tokens.push_back(std::to_string(v));
    share.push_back(1 / static_cast<double>(task.numbers));
  }
  for (std::int64_t v = 0; v < task.nouns; ++v) {
    tokens.push_back(fmt::format("n{}", v));
    share.push_back(-1 / static_cast<double>(task.nouns));
  }
  const Tensor queries =
      concat({unsqueeze(heads[0].query, 0), unsqueeze(heads[1].query, 0)}, 0);  // [2, 8]
  const auto of_tokens = [&](const tasks::ClsHead& head) {
    return unsqueeze(slice(head.keys, 0, 1, task.vocabulary()), 0);
  };
  const Tensor keys = concat({of_tokens(heads[0]), of_tokens(heads[1])}, 0);  // [2, 32, 8]
  const Tensor cosines = nn::cosine(unsqueeze(unsqueeze(queries, 1), 1), keys);
  const auto tensor = [&](const char* name, const Tensor& values) {
    return step.tensor(name, values).rows(age);
  };
  tensor("Q", queries)
      .axes("query", "component")
      .explain(Explain::given("W_Q e_CLS of model 0, as it began and trained"));
  tensor("K", keys)
      .axes("keys", "token", "component")
      .explain(Explain::given("W_K e_t of model 0; tokens: 0 to 15, then nouns"));
  tensor("1/|q|", 1 / nn::length(queries)).axes("query").explain(Explain::given("of Q"));
  tensor("1/|k|", 1 / nn::length(keys))
      .axes("keys", "token")
      .columns(tokens)
      .explain(Explain::given("of K"));
  tensor("C", cosines)
      .axes("query", "keys", "token")
      .columns(tokens)
      .explain(Explain::contraction("qc,ktc,q,kt->qkt", {"Q", "K", "1/|q|", "1/|k|"}));
  const Tensor weights = from_vector(share, {task.numbers + task.nouns}, DType::kFloat64);
  step.tensor("m", weights)
      .axes("token")
      .columns(tokens)
      .explain(Explain::given("1/16 for a number, -1/16 for a noun"));
  std::vector<double> one, mean;
  for (std::size_t query = 0; query < 2; ++query) {
    for (std::size_t key = 0; key < 2; ++key) {
      one.push_back(models[0]->gaps[query][key]);
      double sum = 0;
      for (const ModelChange* model : models) sum += model->gaps[query][key];
      mean.push_back(sum / static_cast<double>(models.size()));
    }
  }
  tensor("G", from_vector(one, {2, 2}, DType::kFloat32))
      .axes("query", "keys")
      .columns(age)
      .explain(Explain::contraction("qkt,t->qk", {"C", "m"}));
  tensor("mean_G", from_vector(mean, {2, 2}, DType::kFloat64))
      .axes("query", "keys")
      .columns(age)
      .explain(Explain::given("the same, mean of the models"));
  step.picture(course::Heatmap("gap of each pair, mean of the models. Rows: query, columns: keys",
                               {"mean_G"}));
  const auto numbers = [&](std::int64_t query, std::int64_t key) {
    return slice(select(select(cosines, 0, query), 0, key), 0, 0, task.numbers).to_vector();
  };
  step.picture(course::Curves("cos(q, k) of the numbers, model 0", "worth"))
      .series("q new, keys old", numbers(1, 0))
      .series("q old, keys new", numbers(0, 1))
      .series("both new", numbers(1, 1));
}

}  // namespace

void old_with_new(Step& step) {
  const std::int64_t pairs = step.whole("pairs"), models = step.whole("seeds");
  const std::int64_t updates = step.whole("updates");
  const bool keys_held = step.broken("keys-held");
  const Movers movers = keys_held ? Movers{false, true, false} : Movers{true, true, true};
  const tasks::NumberTraining training = training_of(movers, updates);
  tasks::NumberTraining descent = training;
  descent.optimizer = tasks::Optimizer::kSgd;
  descent.lr = 0.3;
  descent.updates = 3 * training.updates / 2;
  const Models found = model_changes(step, training, pairs);
  const Models drawn = model_changes(step, training_without(Without::kQuestion, updates), models);
  step.formula("old: as the model begins      new: trained");
  step.formula("gap(q new, keys old): what the turn of q does by itself");
  step.formula("gap(q old, keys new): what the keys' coming does by itself");
  step.formula("moved = |W - W_0| / |W_0|, roots of the sums of squares");
  step.formula("B = W_Q W_Q^T - W_K W_K^T, and its drift in the toy: step 2");
  auto table = step.table(fmt::format("gap of each pair, {} models", pairs),
                          {"both old", "q new", "keys new", "both new"});
  const std::vector<double (*)(const ModelChange&)> of_pairs = {crossed<0, 0>, crossed<1, 0>,
                                                                crossed<0, 1>, crossed<1, 1>};
  const auto row = [&](const char* label, const Models& of, double course::Spread::*what) {
    std::vector<double> values;
    for (const auto pair : of_pairs) values.push_back(course::spread_of(each(of, pair)).*what);
    table.digits(2).row(label, values);
  };
  row("mean", found, &course::Spread::mean);
  row("lowest", found, &course::Spread::lowest);
  row("highest", found, &course::Spread::highest);
  auto shifts = step.table("moved", {"lowest", "mean", "highest", "drawn"});
  double least_moved = INFINITY;
  const auto shift = [&](const char* label, double (*of)(const ModelChange&), const char* note) {
    const course::Spread spread = course::spread_of(each(found, of));
    least_moved = std::min(least_moved, spread.lowest);
    shifts.digits(2).row(label, {spread.lowest, spread.mean, spread.highest, mean_of(drawn, of)},
                         note);
  };
  shift(
      "e", [](const ModelChange& m) { return m.table_moved; },
      "drawn: mean where answers are drawn. Moving is not yet meeting");
  shift(
      "W_Q", [](const ModelChange& m) { return m.query_moved; }, "");
  shift(
      "W_K", [](const ModelChange& m) { return m.key_moved; }, "");
  const auto balance = [](const ModelChange& m) { return m.unbalanced; };
  if (!keys_held) {
    step.number("B's change, Adam", mean_of(found, balance),
                "as a share of that of W_Q W_Q^T: Adam rescales steps and keeps no balance", 2);
  }
  if (!step.quick()) {
    const Models plain = model_changes(step, descent, std::min(pairs, kDescents));
    row("plain descent", plain, &course::Spread::mean);
    if (!keys_held) {
      step.number("B's change, plain", mean_of(plain, balance),
                  fmt::format("plain descent: lr 0.3, {} models of {} updates", plain.size(),
                              descent.updates),
                  2);
    }
  }
  record_pairs(step, training, found);
  const double both = mean_of(found, crossed<1, 1>), query = mean_of(found, crossed<1, 0>);
  const double keys = mean_of(found, crossed<0, 1>);
  step.predict("Which pair of old and new fits better?",
               {"new query, old keys", "old query, new keys", "neither fits"},
               std::max(query, keys) < 0.3 ? 2
               : keys > query              ? 1
                                           : 0);
  const std::vector<BalanceWalk> walks = three_rates(keys_held);
  const std::vector<double> ratios = drift_ratios(walks);
  step.number("toy: drift per tenth of lr", ratios[0],
              fmt::format("times smaller, then {:.1f}; 10: proportional to lr", ratios[1]), 1);
  double one_held = INFINITY;  // lowest gap of any model whose W_Q, or W_K, stays as it began
  for (const Movers& held : {Movers{true, false, true}, Movers{true, true, false}}) {
    const Models still = model_changes(step, training_of(held, updates), models);
    one_held = std::min(one_held, course::spread_of(each(still, gap)).lowest);
  }
  step.number("gap, W_Q or W_K held", one_held, "lowest of all models of step 3", 2);
  const bool both_move = least_moved > 0.3 && query < 0.5 * both && keys < 0.9 * both;
  step.claim("A10", Evidence::kTensor, /*cases=*/pairs * 4 + models * 2)
      .seeds(static_cast<int>(pairs))
      .as_stated(both_move)
      .right(both_move && keys > query && one_held > 0.5 && drift_follows_rate(walks))
      .value(keys)
      .expected("moved > 0.3; of the gap: q new < 0.5, keys new < 0.9, keys more; one held > 0.5")
      .tolerance("bounds of the rule: pairs on means, others in every model; drift 8 to 13")
      .found(
          fmt::format("moved {:.2f}; gap {:.2f}: q new {:.2f}, keys new {:.2f}; one held {:.2f}; "
                      "drift {:.1f}, {:.1f}",
                      least_moved, both, query, keys, one_held, ratios[0], ratios[1]));
  step.why(
      "The new query hardly fits the old keys: there is little yet to fit. The new keys half fit "
      "the old query: they came to it. Most of the way is theirs.");
  step.try_next({"./gradwalk run 18 --claim=A10 --break=keys-held",
                 "./gradwalk run 18 --claim=A10 --predict"});
}

}  // namespace gradwalk::lesson_18
