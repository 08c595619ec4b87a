#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/task.h"

namespace gradwalk::lesson_19 {
namespace {

using course::Evidence;
using course::Step;

double rank_rho(const ModelMeasures& seen) { return seen.alignment.rho; }

double worth_rho(const ModelMeasures& seen) { return seen.worth_rho; }

// The scores in the order of the ranks.
std::vector<double> by_rank(const std::vector<double>& scores, const std::vector<double>& ranks) {
  std::vector<double> sorted(scores.size());
  for (std::size_t v = 0; v < scores.size(); ++v) {
    sorted[static_cast<std::size_t>(ranks[v])] = scores[v];
  }
  return sorted;
}

}  // namespace

void which_order(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  std::vector<tasks::NumberTask> tasks = {
      largest_number(), highest_by(tasks::smallest_first_order(16)),
      highest_by(tasks::shuffled_order()), highest_by(tasks::magnitude_order(16))};
  if (step.broken("by-worth")) std::fill(tasks.begin(), tasks.end(), largest_number());
  const std::vector<std::string> names = {"largest", "smallest", "shuffled", "far from 7.5"};
  const auto start = untrained_models(step, seeds);
  const auto models = trained_models(step, tasks, seeds, updates);
  step.formula("asked: the number of the highest rank in the text, by four rankings");
  step.formula("largest: 15 is highest      smallest: 0 is highest");
  step.formula("shuffled: a drawn order, 5 is highest, then 10, 6, 4, 9, 14, ...");
  step.formula("far from 7.5: by |worth - 7.5|, as for -7.5 ... 7.5 without signs");
  step.formula("component 1: the line along which the 16 keys spread most");
  step.formula("keys' order: |rho| of the places on that line and the ranks");
  step.predict("The ranking is shuffled. What will the scores of the numbers follow?",
               {"what they are worth", "the shuffled ranking", "neither"},
               mean_of(models[2], worth_rho) > 0.9  ? 0
               : mean_of(models[2], rank_rho) > 0.9 ? 1
                                                    : 2);
  auto table = step.table(fmt::format("mean of {} models", seeds),
                          {"rho, rank", "rho, worth", "keys' order"});
  const double start_order = mean_of(start, key_order);
  table.digits(2).row("as they begin",
                      {mean_of(start, rank_rho), mean_of(start, worth_rho), start_order},
                      "keys' order by chance: 0.21");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    table.row(names[i], {mean_of(models[i], rank_rho), mean_of(models[i], worth_rho),
                         mean_of(models[i], key_order)});
  }
  auto& curves =
      step.picture(course::Curves("model 0: score z over what a number is worth", "worth"));
  for (const std::size_t i : {0U, 1U, 3U}) curves.series(names[i], models[i][0]->scores);
  const std::vector<double>& shuffled = models[2][0]->scores;
  step.picture(course::Curves("asked by the shuffled ranking: z over worth, and over rank",
                              "worth, or rank"))
      .series("worth", shuffled)
      .series("rank", by_rank(shuffled, tasks[2].ranks()));
  tasks::draw_keys(step, "asked for the number far from 7.5: keys, colour: rank",
                   models[3][0]->head.keys, tasks[3]);
  double natural = 1, followed = 1, other = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    natural = std::min(natural, mean_of(models[i], worth_rho));
    followed = std::min(followed, mean_of(models[i], rank_rho));
    if (i >= 2) other = std::max(other, std::abs(mean_of(models[i], worth_rho)));
  }
  step.claim("A13", Evidence::kTensor, /*cases=*/seeds * std::ssize(tasks))
      .seeds(static_cast<int>(seeds))
      .as_stated(start_order >= 0.5 && natural > 0.95)
      .right(start_order < 0.5 && followed > 0.95 && other < 0.3)
      .value(followed)
      .expected("rho with rank > 0.95, with worth < 0.3 (shuffled, far); order at start < 0.5")
      .tolerance("bounds of the rule, on means; 0.50: 95 % of chance, one model")
      .found(
          fmt::format("rank {:.3f}, worth {:.2f}, at start {:.2f}", followed, other, start_order));
  step.why(
      "The loss knows ranks, not sizes: whichever number must win the softmax is moved up along "
      "q. A fresh table of embeddings has no order to follow.");
  step.try_next({"./gradwalk run 19 --claim=A13 --break=by-worth",
                 "./gradwalk run 19 --claim=A13 --predict"});
}

}  // namespace gradwalk::lesson_19
