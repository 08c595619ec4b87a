#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"

/// Models of one kind that are asked different things, and what their [CLS] makes of the numbers.
namespace gradwalk::lesson_19 {

tasks::NumberTask largest_number();
/// The number that `order` ranks highest.
tasks::NumberTask highest_by(std::vector<std::int64_t> order);
tasks::NumberTask last_noun();
tasks::NumberTask any_number();  ///< is there one?
tasks::NumberTask upper_half();  ///< is one of them worth half of N or more?
/// A text has two of the numbers 0, ..., 7: sums of 0, ..., 15 take many more updates.
tasks::NumberTask sum_of_two();
tasks::NumberTask largest_of_two();

/// One model.
struct ModelMeasures {
  tasks::ClsHead head;
  tasks::Alignment alignment;      ///< its rho is with the ranks of the task
  std::vector<double> scores;      ///< z of numbers 0, ..., N - 1, in nats
  double worth_rho;                ///< Spearman of the same with what the numbers are worth
  tasks::PointAxis number_keys;    ///< in the order of the ranks
  tasks::PointAxis noun_keys;      ///< in the order of the vocabulary
  tasks::PointAxis number_values;  ///< in the order of the ranks
  double accuracy;                 ///< on the tests
};
ModelMeasures measures_of(const tasks::ClsModel& model, const tasks::NumberTask& task,
                          const tasks::NumberBatch& tests);

/// One model for each of the step's `seeds`, as it begins, and after `updates` of Adam. Both are
/// kept for steps and controls that ask again.
std::vector<const ModelMeasures*> untrained_models(const course::Step& step, std::int64_t seeds);
/// @return  a row a task
std::vector<std::vector<const ModelMeasures*>> trained_models(
    const course::Step& step, const std::vector<tasks::NumberTask>& tasks, std::int64_t seeds,
    int updates);

/// The same measure of several models.
std::vector<double> each(const std::vector<const ModelMeasures*>& models,
                         double (*measure)(const ModelMeasures&));
double mean_of(const std::vector<const ModelMeasures*>& models,
               double (*measure)(const ModelMeasures&));

double key_order(const ModelMeasures& model);
double rho(const ModelMeasures& model);
double accuracy(const ModelMeasures& model);

}  // namespace gradwalk::lesson_19
