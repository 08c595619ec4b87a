#include "lessons/20_diagnosing/models.h"

#include "lessons/tasks/numbers/measures.h"

namespace gradwalk::lesson_20 {
namespace {

std::uint64_t seed_of(const course::Step& step, std::int64_t model) {
  return 100 * step.seed() + static_cast<std::uint64_t>(model);
}

}  // namespace

tasks::NumberTraining training_with(HeadShape shape, std::int64_t updates) {
  tasks::NumberTraining training;
  training.updates = static_cast<int>(updates);
  if (shape == HeadShape::kSquare) training.model.head_dim = training.model.d_model;
  if (shape == HeadShape::kFour) {
    training.model.heads = 4;
    training.model.head_dim = training.model.d_model / 4;
  }
  return training;
}

std::unique_ptr<tasks::ClsModel> model_with(course::Step& step, HeadShape shape, std::int64_t model,
                                            std::int64_t models) {
  const tasks::NumberTraining training = training_with(shape, step.whole("updates"));
  return tasks::trained_number_model(training, seed_of(step, model),
                                     step.training_progress(model, models, training.updates))
      .model;
}

std::unique_ptr<tasks::ClsModel> begun_with(const course::Step& step, HeadShape shape,
                                            std::int64_t model) {
  return tasks::new_number_model(training_with(shape, 0), seed_of(step, model));
}

tasks::NumberBatch texts_for(const course::Step& step, HeadShape shape, std::int64_t model,
                             std::int64_t texts) {
  return tasks::number_tests(training_with(shape, 0).task, seed_of(step, model), texts);
}

}  // namespace gradwalk::lesson_20
