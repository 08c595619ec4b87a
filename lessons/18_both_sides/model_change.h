#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"

/// What is measured on the models of lesson 18.
namespace gradwalk::lesson_18 {

/// How much the keys of larger numbers stand out: Spearman of the worth with three measures.
struct KeySalience {
  double from_mean;  ///< distance of a key from the mean of all number keys
  double nearest;    ///< distance from the nearest other number key
  double length;
};
/// @param keys  [N, Dh], of the numbers by their worth
KeySalience salience_of(const Tensor& keys);

/// A model beside itself as it began.
struct ModelChange {
  std::vector<tasks::Alignment> heads_before;
  std::vector<tasks::Alignment> heads;  ///< trained
  /// Gap of head 0 by query and keys: [0] as it began, [1] trained.
  std::array<std::array<double, 2>, 2> gaps;
  /// |W - W_0| / |W_0|, roots of the sums of squares: of the embeddings, of W_Q and of W_K.
  double table_moved, query_moved, key_moved;
  /// |B - B_0| / |W_Q W_Q^T - its start|, B = W_Q W_Q^T - W_K W_K^T, of head 0: 0 if both sides
  /// have grown alike, NaN if none has.
  double unbalanced;
  double turned;                          ///< angle between old and new query of head 0, degrees
  KeySalience salience_before, salience;  ///< of the number keys of head 0
  double right;                           ///< share of the answers to 1000 fresh texts
  double on_answer;   ///< mean weight of head 0 on the token that holds the answer
  double on_numbers;  ///< mean weight of head 0 on all numbers together
  const tasks::NumberCurves* curves;
};
using Models = std::vector<const ModelChange*>;

/// Models of seeds 100 base, 100 base + 1, ...; trained and measured once a process.
Models model_changes(const course::Step& step, const tasks::NumberTraining& training,
                     std::int64_t models);

/// Head 0 of one of them, as it began and trained.
std::array<tasks::ClsHead, 2> head_before_and_after(const course::Step& step,
                                                    const tasks::NumberTraining& training);

std::vector<double> each(const Models& models, double (*of)(const ModelChange& model));
/// All heads of all models.
std::vector<tasks::Alignment> all_heads(
    const Models& models, std::vector<tasks::Alignment> ModelChange::*heads = &ModelChange::heads);
double mean_of(const Models& models, double (*of)(const ModelChange& model));

double right(const ModelChange& model);
double on_answer(const ModelChange& model);
double on_numbers(const ModelChange& model);
double gap(const ModelChange& model);  ///< of head 0, as all that follow
double rho(const ModelChange& model);
double effect(const ModelChange& model);  ///< Cohen's d of the gap
/// Mean |cos| with the query: 1 if all lie on its line, at either end.
double numbers_on_line(const ModelChange& model);
double nouns_on_line(const ModelChange& model);

}  // namespace gradwalk::lesson_18
