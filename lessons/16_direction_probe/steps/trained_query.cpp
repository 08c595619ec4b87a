#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/16_direction_probe/one_head.h"
#include "lessons/16_direction_probe/steps/common.h"
#include "lessons/16_direction_probe/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/cosine.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_16 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;
using tasks::NumberTask;

constexpr double kModels = 0.8;  // share of them

std::string token_name(std::int64_t id, const NumberTask& task) {
  if (id == 0) return "[CLS]";
  if (id <= task.numbers) return fmt::format("number {}", id - 1);
  return fmt::format("noun {}", id - task.numbers - 1);
}

// One text as [CLS] reads it: a table, and its tensors.
void show_text(Step& step, const OneHead& head, const Tensor& keys, const NumberTask& task) {
  const Tensor text = select(tasks::number_tests(task, step.seed(), 1).ids, 0, 0);
  const Tensor k = index_select(keys, 0, text);
  const Reading found = reading_of(head.query(), k);
  std::vector<std::string> names;
  auto table = step.table("one text as [CLS] of model 0 reads it", {"cos", "|k|", "z", "w"});
  for (std::int64_t i = 0; i < text.shape()[0]; ++i) {
    names.push_back(token_name(static_cast<std::int64_t>(text.at({i})), task));
    table.digits({3, 2, 2, 4})
        .row(names.back(), {found.cosines.at({i}), found.lengths.at({i}), found.scores.at({i}),
                            found.weights.at({i})});
  }
  step.tensor("q", head.query()).axes("component").explain(Explain::given("W_Q h of [CLS]"));
  step.tensor("K", k)
      .axes("token", "component")
      .rows(names)
      .explain(Explain::given("W_K h of the text's tokens"));
  step.tensor("z", found.scores)
      .axes("token")
      .columns(names)
      .explain(Explain::contraction("c,ic->i", {"q", "K"}, kScale));
  step.tensor("w", found.weights).axes("token").columns(names).explain(Explain::softmax("z"));
}

void draw_scores(Step& step, const Reading& found, const NumberTask& task) {
  auto& scatter = step.picture(
      course::Scatter("model 0, all words: a number is coloured by the length of its key",
                      "cos(q, k)", "z / largest |z|"));
  const double largest = course::largest(found.scores);
  std::vector<std::pair<double, double>> nouns;
  for (std::int64_t id = 1; id < task.vocabulary(); ++id) {
    const double x = found.cosines.at({id}), y = found.scores.at({id}) / largest;
    if (id <= task.numbers) {
      scatter.point(fmt::format("{}", id - 1), x, y, found.lengths.at({id}));
    } else {
      nouns.emplace_back(x, y);
    }
  }
  scatter.others("nouns", std::move(nouns));
}

}  // namespace

void trained_query(Step& step) {
  const bool equal_lengths = step.broken("equal-lengths");
  const std::int64_t models = step.whole("seeds");
  const NumberTask task = training_for(step, Asked::kNumbers).task;
  const auto of_numbers = [&](const Tensor& x) { return tasks::number_rows(x, task); };
  std::vector<double> right, words, numbers, levelled, shortest, longest;
  double off = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto trained = model_for(step, Asked::kNumbers, model);
    const OneHead head = head_of(*trained);
    const Tensor query = head.query();
    const Tensor keys = equal_lengths ? of_one_length(head.keys()) : head.keys();
    const Reading found = reading_of(query, keys), equal = reading_of(query, of_one_length(keys));
    right.push_back(
        tasks::number_score(*trained, task, tasks::number_tests(task, step.seed(), 500)).accuracy);
    words.push_back(same_order(found.cosines, found.scores));
    numbers.push_back(
        nn::spearman(of_numbers(found.cosines).to_vector(), of_numbers(found.scores).to_vector()));
    levelled.push_back(same_order(equal.cosines, equal.scores));
    shortest.push_back(min(of_numbers(found.lengths)).item());
    longest.push_back(max(of_numbers(found.lengths)).item());
    const Tensor by_lengths = nn::length(query) * nn::length(head.keys()) * found.cosines * kScale;
    off = std::max(off, course::relative_distance(by_lengths, own_scores(*trained)));
    if (model > 0) continue;
    show_text(step, head, keys, task);
    draw_scores(step, found, task);
  }
  step.formula("task: [CLS] and 8 words, numbers 0 to 15 and 16 nouns;");
  step.formula("answer: the largest number      one layer, one head, only [CLS] asks");
  step.formula("q = W_Q h_CLS [8]      k_i = W_K h_i [8]      w = softmax(z)");
  step.formula("z_i = q.k_i / sqrt(8) = |q| |k_i| cos(q, k_i) / sqrt(8)");
  step.formula("order: rank correlation of cos and z over all 32 words; 1: one order");
  const course::Spread order = course::spread_of(words), same = course::spread_of(levelled);
  auto table = step.table(fmt::format("{} models", models), {"lowest", "mean", "highest"});
  const auto row = [&](const std::string& name, const course::Spread& s, const std::string& note) {
    table.digits(3).row(name, {s.lowest, s.mean, s.highest}, note);
  };
  row("right", course::spread_of(right), "share of 500 answers");
  row("order, words", order, "");
  row("order, numbers", course::spread_of(numbers), "of the 16 numbers alone");
  row("order, one length", same, "keys brought to one length");
  row("shortest key", course::spread_of(shortest), "of the numbers");
  row("longest key", course::spread_of(longest), "of the numbers");
  step.number("z, off", off, "by lengths and cosines, from the model's own");
  step.predict("Does the order of the cosines say the order of the weights?",
               {"exactly", "mostly", "hardly"},
               order.lowest > 1 - 1e-9 ? 0
               : order.mean > 0.5      ? 1
                                       : 2);
  const auto share = [&](const auto& holds) {
    return static_cast<double>(std::count_if(words.begin(), words.end(), holds)) /
           static_cast<double>(models);
  };
  const double mostly = share([](double rho) { return rho > kOrders; });
  const double not_quite = share([](double rho) { return rho > kOrders && rho < 1 - 1e-9; });
  const bool exact = same.lowest > 1 - 1e-9 && closer_wins(/*equal_lengths=*/true);
  const bool long_loses = closer_wins(equal_lengths);
  step.claim("A1", Evidence::kTensor, /*cases=*/models * (task.vocabulary() - 1) + 2)
      .seeds(static_cast<int>(models))
      .as_stated(mostly >= kModels && exact)
      .right(not_quite >= kModels && exact && !long_loses && off < kRounding)
      .value(order.mean)
      .interval(order.lowest, order.highest)
      .expected("order > 0.7 and < 1 in 0.8 of the models; 1 with keys of one length; long wins")
      .tolerance("bounds of the rule; z by lengths and cosines 1e-5 of the largest, float32")
      .found(fmt::format("order {:.2f} ({:.2f} to {:.2f}), one length {:.3f}; by hand: {} wins",
                         order.mean, order.lowest, order.highest, same.lowest,
                         long_loses ? "near" : "long"));
  step.why(
      "Lengths are part of the score: training makes the keys of large numbers long as well as "
      "close. Read a cosine as a direction, never as a weight.");
  step.try_next({"./gradwalk run 16 --claim=A1 --break=equal-lengths",
                 "./gradwalk run 16 --claim=A1 --predict"});
}

}  // namespace gradwalk::lesson_16
