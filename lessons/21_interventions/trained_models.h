#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"

/// Models whose training is told more than the task's answers.
namespace gradwalk::lesson_21 {

/// What is added to a loss.
struct AuxiliaryLoss {
  tasks::ExtraLoss loss = tasks::ExtraLoss::kNone;
  double weight = 0;
};

/// The training with it. With the break `weightless` nothing is added, as with weight 0.
tasks::NumberTraining with_auxiliary(course::Step& step, const AuxiliaryLoss& auxiliary,
                                     tasks::NumberTraining plain);

/// Seed of the step's model 0, 1, ...
std::uint64_t model_seed(const course::Step& step, std::int64_t model);

/// A trained model: its query on the vocabulary, and 1000 fresh texts. One whose answers were drawn
/// is asked for the largest number.
struct TrainedModel {
  std::vector<tasks::ClsHead> heads;
  tasks::Alignment alignment;  ///< of head 0
  tasks::NumberScore score;
};
using Models = std::vector<const TrainedModel*>;

/// So many of a training, trained and measured once a process.
Models trained_models(const course::Step& step, const tasks::NumberTraining& training,
                      std::int64_t models);

/// One number of each.
template <class Pick>
std::vector<double> each(const Models& models, Pick of) {
  std::vector<double> values;
  for (const TrainedModel* model : models) values.push_back(of(*model));
  return values;
}

}  // namespace gradwalk::lesson_21
