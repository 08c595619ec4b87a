#pragma once

#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"

/// The models of lesson 17, and what is measured on them.
namespace gradwalk::lesson_17 {

/// A model on the number task, and others that differ from it in one thing.
enum class Kind {
  kMax,         ///< Adam; asked is the largest number
  kSgd,         ///< plain gradient descent with rate 0.3
  kLargeTable,  ///< the table of embeddings begins as N(0, 1)
  kRandom,      ///< answers are drawn
  kNouns,       ///< asked is the last noun
  kUniform      ///< the weights are 1 / 9, whatever the scores
};
const char* name(Kind kind);
tasks::NumberTraining training_of(Kind kind, std::int64_t updates);

/// The same question in a harder text: 8 to 12 of 20 tokens are numbers, 0 to 31, and a value has
/// 4 components.
tasks::NumberTraining many_numbers(tasks::Weighting weighting, std::int64_t updates);

/// A model as trained, on the vocabulary and on 1000 fresh texts.
struct ModelMeasures {
  tasks::Alignment alignment;
  tasks::PointAxis number_axis, noun_axis;  ///< of their keys
  /// cos(q, u), u the first axis of the numbers' keys, turned so that higher ranks lie further on.
  double along_axis;
  double accuracy;            ///< share of the answers that are right
  double without_weights;     ///< the same once its weights are made uniform
  double on_answer;           ///< mean weight on the token that holds the answer
  double on_numbers;          ///< mean weight on all numbers together
  double largest_first;       ///< share of texts whose largest number has the highest score
  double smallest_if_turned;  ///< share whose smallest number has the highest score of -q
  const tasks::NumberCurves* curves;
};

/// Models of seeds 100 base, 100 base + 1, ...; trained and measured once a process.
std::vector<const ModelMeasures*> model_measures(const course::Step& step,
                                                 const tasks::NumberTraining& training,
                                                 std::int64_t models);

/// One of them, the caller's own.
tasks::TrainedNumberModel model_of(const course::Step& step, const tasks::NumberTraining& training,
                                   std::int64_t model = 0);

/// The first updates of a curve, where most happens.
std::vector<double> beginning(const std::vector<double>& curve);

/// One number of each.
std::vector<double> each(const std::vector<const ModelMeasures*>& models,
                         double (*of)(const ModelMeasures& model));

/// Share of texts whose largest, or smallest, number has a higher score than their other numbers.
/// @param logits  [V], in any unit
double share_picked(const Tensor& logits, const tasks::NumberBatch& texts,
                    const tasks::NumberTask& task, bool smallest);

}  // namespace gradwalk::lesson_17
