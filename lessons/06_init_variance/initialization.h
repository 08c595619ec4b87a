#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/training.h"
#include "tensor/tensor.h"

/// Models that differ in one factor: what W_Q and W_K are multiplied with before training.
namespace gradwalk::lesson_06 {

/// How a dictionary model begins. Models of one number share all random weights and all pages.
struct Initialization {
  double factor = 1;      ///< times W_Q and times W_K
  bool divided = false;   ///< the layer divides its scores by factor^2
  std::int64_t draw = 0;  ///< 0: the number's own random weights; else others

  auto operator<=>(const Initialization&) const = default;
};

/// A new model on 256 test pages. L is the mean loss, in nats, L_p that of one page, s the scores
/// of its question. All are means over the pages, but for those of W_Q.
struct InitialMeasures {
  double score_deviation;  ///< of the scores, in nats
  double entropy;          ///< of the question's weights, as a share of ln 9
  double max_weight;       ///< of the question
  double score_gradient;   ///< |dL_p/ds|
  /// Root of the mean of |dL_p/ds|^2, to which the few largest add most.
  double score_gradient_rms;
  double dead;            ///< share of pages with |dL_p/ds| < 0.003
  double query_gradient;  ///< |dL/dW_Q|
  double query_relative;  ///< |dL/dW_Q| / |W_Q|
};

/// The mean of that over so many models.
InitialMeasures initial_measures(const course::Step& step, const Initialization& start,
                                 std::int64_t models);

/// How a model is trained: Adam with rate 0.003 or SGD with 0.3, until the mean of 20 losses is
/// below 0.7 nats.
struct TrainingPlan {
  tasks::Optimizer optimizer = tasks::Optimizer::kAdam;
  int updates = 1500;  ///< at most

  auto operator<=>(const TrainingPlan&) const = default;
};

/// What a training left.
struct TrainingResult {
  std::vector<double> losses;  ///< before each update, in nats
  int updates = 0;             ///< until it had learned; if it never did, all there were
  bool never = true;
  /// Share of 256 fresh pages that are answered right at the end; not of a language model.
  double accuracy = 0;
};

/// Trains so many models, or gives back what this process has trained before.
std::vector<const TrainingResult*> training_results(const course::Step& step,
                                                    const Initialization& start,
                                                    const TrainingPlan& recipe,
                                                    std::int64_t models);

/// The same of language models of one layer: 300 updates of Adam, and they have learned once the
/// mean of 20 losses is below `target`, nats a word.
std::vector<const TrainingResult*> language_training_results(const course::Step& step,
                                                             double factor, double target,
                                                             std::int64_t models);

/// "102 130 never"
std::string updates_text(const std::vector<const TrainingResult*>& models);

/// Of the updates; the upper one of two.
double median_updates(const std::vector<const TrainingResult*>& models);

/// How many times as many updates a model needs, for each of them.
course::Spread times_as_many(const std::vector<const TrainingResult*>& models,
                             const std::vector<const TrainingResult*>& than);

/// One page as model 0 sees it from each of F starts; 8 cards and the question.
struct PageAttention {
  Tensor query;                    ///< [F, Dh]
  Tensor keys;                     ///< [F, 9, Dh]
  Tensor scores;                   ///< [F, 9], scaled
  Tensor weights;                  ///< [F, 9]
  Tensor weight_gradient;          ///< [F, 9], dL/dw: how the loss changes with each weight
  Tensor score_gradient;           ///< [F, 9], dL/ds
  std::vector<std::string> cards;  ///< "7=3": key 7 holds value 3; "*" behind the one asked for
};
PageAttention page_attention(const course::Step& step, const std::vector<Initialization>& starts);

}  // namespace gradwalk::lesson_06
