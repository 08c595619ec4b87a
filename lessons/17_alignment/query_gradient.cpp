#include "lessons/17_alignment/query_gradient.h"

#include <algorithm>
#include <utility>

#include "lessons/17_alignment/models.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_17 {
namespace {

constexpr std::int64_t kTexts = 1000;

}  // namespace

Tensor toward_numbers(const tasks::ClsModel& model, const tasks::NumberTask& task) {
  const Tensor keys = tasks::cls_head(model).keys;
  return mean(tasks::number_rows(keys, task), {0}) - mean(tasks::noun_rows(keys, task), {0});
}

double gradient_to_numbers(const tasks::ClsModel& model, const tasks::NumberBatch& texts,
                           const tasks::NumberTask& task) {
  return nn::cosine(-tasks::query_gradient(model, texts), toward_numbers(model, task)).item();
}

InitialGradients initial_gradients(const course::Step& step, const tasks::NumberTask& task,
                                   std::int64_t starts) {
  static course::Memo<std::pair<tasks::NumberTask, std::uint64_t>, std::pair<double, double>> memo;
  InitialGradients push;
  for (std::int64_t start = 0; start < starts; ++start) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(start);
    const auto& [own, twin] = memo({task, seed}, [&] {
      const tasks::NumberTraining training{.task = task};
      const auto model = tasks::new_number_model(training, seed);
      const tasks::NumberBatch texts = tasks::number_tests(task, seed, kTexts);
      const double before = gradient_to_numbers(*model, texts, task);
      mul_into(tasks::weight_of(*model, "attention.v_proj.weight"), -1);
      return std::pair(before, gradient_to_numbers(*model, texts, task));
    });
    push.of_starts.push_back(own);
    push.of_twins.push_back(twin);
    step.progress("start", start + 1, starts);
  }
  return push;
}

std::vector<double> gradient_with_values(const course::Step& step, const tasks::NumberTask& task,
                                         std::int64_t models, std::int64_t updates) {
  tasks::NumberTraining training{.task = task, .updates = static_cast<int>(updates)};
  training.move_embedding = training.move_query = training.move_key = false;
  std::vector<double> pushes;
  for (std::int64_t model = 0; model < models; ++model) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(model);
    const auto trained = tasks::trained_number_model(
        training, seed, step.training_progress(model, models, training.updates));
    pushes.push_back(
        gradient_to_numbers(*trained.model, tasks::number_tests(task, seed, kTexts), task));
  }
  return pushes;
}

double share_positive(const std::vector<double>& values) {
  const auto above = std::count_if(values.begin(), values.end(), [](double x) { return x > 0; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

}  // namespace gradwalk::lesson_17
