#pragma once

#include <string>
#include <vector>

#include "lessons/course/cls_model.h"
#include "lessons/course/number_measures.h"
#include "lessons/course/number_task.h"
#include "lessons/course/step.h"

/// Models of one kind that are asked different things, and what their [CLS] makes of the numbers.
namespace gradwalk::lessons {

course::NumberTask largest_number();
/// The number that `order` ranks highest.
course::NumberTask highest_by(std::vector<std::int64_t> order);
course::NumberTask last_noun();
course::NumberTask any_number();  ///< is there one?
course::NumberTask upper_half();  ///< is one of them worth half of N or more?
/// A text has two of the numbers 0, ..., 7: sums of 0, ..., 15 take many more updates.
course::NumberTask sum_of_two();
course::NumberTask largest_of_two();

/// One model.
struct Seen {
  course::ClsHead head;
  course::Alignment alignment;      ///< its rho is with the ranks of the task
  std::vector<double> scores;       ///< z of numbers 0, ..., N - 1, in nats
  double worth_rho;                 ///< Spearman of the same with what the numbers are worth
  course::PointAxis number_keys;    ///< in the order of the ranks
  course::PointAxis noun_keys;      ///< in the order of the vocabulary
  course::PointAxis number_values;  ///< in the order of the ranks
  double accuracy;                  ///< on the tests
};
Seen see(const course::ClsModel& model, const course::NumberTask& task,
         const course::NumberBatch& tests);

/// One model for each of the step's `seeds`, as it begins, and after `updates` of Adam. Both are
/// kept for steps and controls that ask again.
std::vector<const Seen*> begun(const course::Step& step, std::int64_t seeds);
/// @return  a row a task
std::vector<std::vector<const Seen*>> learned(const course::Step& step,
                                              const std::vector<course::NumberTask>& tasks,
                                              std::int64_t seeds, int updates);

/// The same measure of several models.
std::vector<double> each(const std::vector<const Seen*>& models, double (*measure)(const Seen&));
double mean_of(const std::vector<const Seen*>& models, double (*measure)(const Seen&));

}  // namespace gradwalk::lessons
