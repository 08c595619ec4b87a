#include "lessons/17_alignment/models.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/numbers/interventions.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/pca.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_17 {
namespace {

constexpr std::int64_t kTests = 1000;
constexpr std::size_t kBeginning = 200;  // updates

std::uint64_t seed_of(const course::Step& step, std::int64_t model) {
  return 100 * step.seed() + static_cast<std::uint64_t>(model);
}

double along_axis(const tasks::ClsHead& head, const tasks::NumberTask& task) {
  const nn::Pca axes = nn::pca(tasks::number_rows(head.keys, task));
  const double order = nn::spearman(select(axes.projections, 1, 0).to_vector(), task.ranks());
  return (order < 0 ? -1 : 1) * nn::cosine(head.query, select(axes.components, 0, 0)).item();
}

ModelMeasures measure(const tasks::TrainedNumberModel& trained, const tasks::NumberTask& task,
                      std::uint64_t seed) {
  const tasks::ClsModel& model = *trained.model;
  const tasks::NumberBatch texts = tasks::number_tests(task, seed, kTests);
  const tasks::NumberScore score = tasks::number_score(model, task, texts);
  const auto even = tasks::copy_of(model);
  tasks::make_uniform(*even, /*head=*/0);
  const tasks::ClsHead head = tasks::cls_head(model);
  const tasks::Alignment alignment = tasks::alignment(model, task);
  const std::vector<double> places(static_cast<std::size_t>(task.nouns), 0);
  return {
      .alignment = alignment,
      .number_axis = tasks::point_axis(tasks::number_rows(head.keys, task), task.ranks()),
      .noun_axis = tasks::point_axis(tasks::noun_rows(head.keys, task), places),
      .along_axis = along_axis(head, task),
      .accuracy = score.accuracy,
      .without_weights = tasks::number_score(*even, task, texts).accuracy,
      .on_answer = score.on_answer[0],
      .on_numbers = score.on_numbers[0],
      .largest_first = share_picked(alignment.match.logits, texts, task, /*smallest=*/false),
      .smallest_if_turned = share_picked(-alignment.match.logits, texts, task, /*smallest=*/true),
      .curves = &trained.curves};
}

}  // namespace

const char* name(Kind kind) {
  switch (kind) {
    case Kind::kMax:
      return "Adam";
    case Kind::kSgd:
      return "SGD";
    case Kind::kLargeTable:
      return "large e";
    case Kind::kRandom:
      return "random answers";
    case Kind::kNouns:
      return "noun task";
    case Kind::kUniform:
      return "even weights";
  }
  return "";
}

tasks::NumberTraining training_of(Kind kind, std::int64_t updates) {
  tasks::NumberTraining training;
  training.updates = static_cast<int>(updates);
  switch (kind) {
    case Kind::kMax:
      break;
    case Kind::kSgd:
      training.optimizer = tasks::Optimizer::kSgd;
      training.lr = 0.3;
      break;
    case Kind::kLargeTable:
      training.model.embedding_sd = 1;
      break;
    case Kind::kRandom:
      training.task.question = tasks::NumberQuestion::kNothing;
      break;
    case Kind::kNouns:
      training.task.question = tasks::NumberQuestion::kNounMax;
      break;
    case Kind::kUniform:
      training.model.weighting = tasks::Weighting::kUniform;
  }
  return training;
}

tasks::NumberTraining many_numbers(tasks::Weighting weighting, std::int64_t updates) {
  tasks::NumberTraining training;
  training.task.numbers = 32;
  training.task.tokens = 20;
  training.task.fewest = 8;
  training.task.most = 12;
  training.model.head_dim = 4;
  training.model.weighting = weighting;
  training.updates = static_cast<int>(updates);
  return training;
}

std::vector<const ModelMeasures*> model_measures(const course::Step& step,
                                                 const tasks::NumberTraining& training,
                                                 std::int64_t models) {
  static course::Memo<std::pair<tasks::NumberTraining, std::uint64_t>, ModelMeasures> memo;
  std::vector<const ModelMeasures*> all;
  for (std::int64_t model = 0; model < models; ++model) {
    const std::uint64_t seed = seed_of(step, model);
    all.push_back(&memo({training, seed}, [&] {
      return measure(tasks::trained_number_model(
                         training, seed, step.training_progress(model, models, training.updates)),
                     training.task, seed);
    }));
  }
  return all;
}

tasks::TrainedNumberModel model_of(const course::Step& step, const tasks::NumberTraining& training,
                                   std::int64_t model) {
  return tasks::trained_number_model(training, seed_of(step, model),
                                     step.training_progress(0, 1, training.updates));
}

std::vector<double> beginning(const std::vector<double>& curve) {
  return {curve.begin(),
          curve.begin() + static_cast<std::ptrdiff_t>(std::min(kBeginning, curve.size()))};
}

std::vector<double> each(const std::vector<const ModelMeasures*>& models,
                         double (*of)(const ModelMeasures& model)) {
  std::vector<double> values;
  for (const ModelMeasures* model : models) values.push_back(of(*model));
  return values;
}

double share_picked(const Tensor& logits, const tasks::NumberBatch& texts,
                    const tasks::NumberTask& task, bool smallest) {
  const std::int64_t rows = texts.ids.shape()[0], columns = texts.ids.shape()[1];
  const std::vector<double> z = logits.to_vector(), ids = texts.ids.to_vector();
  std::int64_t right = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double asked = 0, best = 0, highest = -INFINITY;
    for (std::int64_t column = 0; column < columns; ++column) {
      const double id = ids[static_cast<std::size_t>(row * columns + column)];
      if (id < 1 || id > static_cast<double>(task.numbers)) continue;
      if (asked == 0 || (smallest ? id < asked : id > asked)) asked = id;
      const double score = z[static_cast<std::size_t>(id)];
      if (score > highest) highest = score, best = id;
    }
    right += best == asked;
  }
  return static_cast<double>(right) / static_cast<double>(rows);
}

}  // namespace gradwalk::lesson_17
