#include "lessons/19_number_axis/questions.h"

#include <numeric>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/statistics/rank_correlation.h"
#include "nn/statistics/summary.h"

namespace gradwalk::lesson_19 {
namespace {

constexpr std::int64_t kTests = 500;

using Key = std::pair<tasks::NumberTraining, std::uint64_t>;

std::uint64_t seed_of(const course::Step& step, std::int64_t model) {
  return 100 * step.seed() + static_cast<std::uint64_t>(model);
}

std::vector<double> counted(std::int64_t count) {
  std::vector<double> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0.0);
  return places;
}

}  // namespace

tasks::NumberTask largest_number() { return {}; }

tasks::NumberTask highest_by(std::vector<std::int64_t> order) {
  return {.order = std::move(order)};
}

tasks::NumberTask last_noun() { return {.question = tasks::NumberQuestion::kNounMax}; }

tasks::NumberTask any_number() { return {.question = tasks::NumberQuestion::kPresence}; }

tasks::NumberTask upper_half() { return {.question = tasks::NumberQuestion::kThreshold}; }

tasks::NumberTask sum_of_two() {
  return {.question = tasks::NumberQuestion::kSum, .numbers = 8, .fewest = 2, .most = 2};
}

tasks::NumberTask largest_of_two() { return {.numbers = 8, .fewest = 2, .most = 2}; }

ModelMeasures measures_of(const tasks::ClsModel& model, const tasks::NumberTask& task,
                          const tasks::NumberBatch& tests) {
  ModelMeasures seen{.head = cls_head(model),
                     .alignment = alignment(model, task),
                     .scores = {},
                     .worth_rho = 0,
                     .number_keys = {},
                     .noun_keys = {},
                     .number_values = {},
                     .accuracy = number_score(model, task, tests).accuracy};
  seen.scores = number_rows(seen.alignment.match.logits, task).to_vector();
  seen.worth_rho = nn::spearman(seen.scores, counted(task.numbers));
  seen.number_keys = tasks::point_axis(number_rows(seen.head.keys, task), task.ranks());
  seen.noun_keys = tasks::point_axis(noun_rows(seen.head.keys, task), counted(task.nouns));
  seen.number_values = tasks::point_axis(number_rows(seen.head.values, task), task.ranks());
  return seen;
}

std::vector<const ModelMeasures*> untrained_models(const course::Step& step, std::int64_t seeds) {
  static course::Memo<std::uint64_t, ModelMeasures> memo;
  const tasks::NumberTraining training{.task = largest_number()};
  std::vector<const ModelMeasures*> all;
  for (std::int64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = seed_of(step, i);
    all.push_back(&memo(seed, [&] {
      return measures_of(*new_number_model(training, seed), training.task,
                         number_tests(training.task, seed, kTests));
    }));
  }
  return all;
}

std::vector<std::vector<const ModelMeasures*>> trained_models(
    const course::Step& step, const std::vector<tasks::NumberTask>& tasks, std::int64_t seeds,
    int updates) {
  static course::Memo<Key, ModelMeasures> memo;
  std::vector<std::vector<const ModelMeasures*>> rows;
  const std::int64_t runs = std::ssize(tasks) * seeds;
  std::int64_t run = 0;
  for (const tasks::NumberTask& task : tasks) {
    const tasks::NumberTraining training{.task = task, .updates = updates};
    auto& row = rows.emplace_back();
    for (std::int64_t i = 0; i < seeds; ++i, ++run) {
      const std::uint64_t seed = seed_of(step, i);
      row.push_back(&memo({training, seed}, [&] {
        const auto trained =
            trained_number_model(training, seed, step.training_progress(run, runs, updates));
        return measures_of(*trained.model, task, number_tests(task, seed, kTests));
      }));
    }
  }
  return rows;
}

std::vector<double> each(const std::vector<const ModelMeasures*>& models,
                         double (*measure)(const ModelMeasures&)) {
  std::vector<double> all;
  for (const ModelMeasures* model : models) all.push_back(measure(*model));
  return all;
}

double mean_of(const std::vector<const ModelMeasures*>& models,
               double (*measure)(const ModelMeasures&)) {
  return nn::summarize(each(models, measure)).mean;
}

double key_order(const ModelMeasures& model) { return model.number_keys.order; }
double rho(const ModelMeasures& model) { return model.alignment.rho; }
double accuracy(const ModelMeasures& model) { return model.accuracy; }

}  // namespace gradwalk::lesson_19
