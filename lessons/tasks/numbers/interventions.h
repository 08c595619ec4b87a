#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"

/// Interventions on a trained [CLS] model: what happens when one thing in it is changed.
namespace gradwalk::tasks {

struct PerturbationEffect {
  double moved;     ///< share of [CLS]'s weights that moved (nn::total_variation), mean over texts
  double accuracy;  ///< of the answers with the push
};

/// Adds `step` to what the keys of all numbers are made of; values stay.
/// @param step  [D], in the embeddings' unit (nn::probe_directions gives directions)
/// @throws ShapeError unless step is [D]
PerturbationEffect perturb_number_keys(const ClsModel& model, const NumberBatch& texts,
                                       const NumberTask& task, const Tensor& step,
                                       std::int64_t head = 0);

/// Mean length of the numbers' embeddings, the measure of a push.
double number_length(const ClsModel& model, const NumberTask& task);

/// The table of embeddings with other rows for the numbers, as a ClsContext takes it.
/// @param rows  [N, D]
Tensor with_number_rows(const ClsModel& model, const NumberTask& task, const Tensor& rows);

/// A model of the same weights, to be changed.
std::unique_ptr<ClsModel> copy_of(const ClsModel& model);

/// Makes a head's weights uniform: its part of W_Q becomes 0.
void make_uniform(const ClsModel& model, std::int64_t head);

/// How much accuracy each head is good for: that of the model less that with the head's weights
/// made uniform.
std::vector<double> head_influence(const ClsModel& model, const NumberTask& task,
                                   const NumberBatch& texts);

/// dL/dq of a head, [Dh], for the mean cross-entropy of the answers: which way descent pushes the
/// query, up to its sign. All texts have the same query; this is the sum over them.
Tensor query_gradient(const ClsModel& model, const NumberBatch& texts, std::int64_t head = 0);

}  // namespace gradwalk::tasks
