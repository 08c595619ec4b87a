#include "lessons/21_interventions/trained_models.h"

#include <utility>

#include "lessons/course/engine/memo.h"

namespace gradwalk::lesson_21 {
namespace {

constexpr std::int64_t kTests = 1000;

TrainedModel measure(const tasks::ClsModel& model, tasks::NumberTask task, std::uint64_t seed) {
  if (task.question == tasks::NumberQuestion::kNothing) {
    task.question = tasks::NumberQuestion::kMax;
  }
  TrainedModel found{.heads = {},
                     .alignment = alignment(model, task),
                     .score = number_score(model, task, tasks::number_tests(task, seed, kTests))};
  for (std::int64_t head = 0; head < model.options().heads; ++head) {
    found.heads.push_back(cls_head(model, head));
  }
  return found;
}

}  // namespace

tasks::NumberTraining with_auxiliary(course::Step& step, const AuxiliaryLoss& auxiliary,
                                     tasks::NumberTraining plain) {
  if (!step.broken("weightless") && auxiliary.weight > 0) {
    plain.extra = auxiliary.loss;
    plain.extra_weight = auxiliary.weight;
  }
  return plain;
}

std::uint64_t model_seed(const course::Step& step, std::int64_t model) {
  return 100 * step.seed() + static_cast<std::uint64_t>(model);
}

Models trained_models(const course::Step& step, const tasks::NumberTraining& training,
                      std::int64_t models) {
  static course::Memo<std::pair<tasks::NumberTraining, std::uint64_t>, TrainedModel> memo;
  Models all;
  for (std::int64_t model = 0; model < models; ++model) {
    const std::uint64_t seed = model_seed(step, model);
    all.push_back(&memo({training, seed}, [&] {
      const auto trained = tasks::trained_number_model(
          training, seed, step.training_progress(model, models, training.updates));
      return measure(*trained.model, training.task, seed);
    }));
  }
  return all;
}

}  // namespace gradwalk::lesson_21
