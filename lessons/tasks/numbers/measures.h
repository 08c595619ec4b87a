#pragma once

#include <cstdint>
#include <vector>

#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/qk_match.h"

/// What a trained [CLS] model is measured by: what its query is to every token of the vocabulary,
/// and what it answers.
namespace gradwalk::tasks {

/// One head, as [CLS] sees the vocabulary; a row a token.
struct ClsHead {
  Tensor query;   ///< [Dh]; without positions it is the same in every text
  Tensor keys;    ///< [V, Dh]
  Tensor values;  ///< [V, Dh]
};
/// @throws std::out_of_range for a head that is not there
ClsHead cls_head(const ClsModel& model, std::int64_t head = 0);

/// The rows of the numbers in a table [V, ...], of the nouns, and masks of both, bool [V].
Tensor number_rows(const Tensor& table, const NumberTask& task);
Tensor noun_rows(const Tensor& table, const NumberTask& task);
Tensor number_mask(const NumberTask& task);
Tensor noun_mask(const NumberTask& task);

/// How a query fits the keys of a vocabulary.
struct Alignment {
  nn::QkMatch match;  ///< numbers against nouns; [CLS] is in neither group
  double rho;         ///< Spearman of the numbers' logits and their ranks: is the order there?
  double noun_rho;    ///< the same of the nouns and their places
  double spread;      ///< standard deviation of the numbers' logits, in nats
  double gap() const { return match.of_cosines.gap; }
};
/// @param query  [Dh], of one model, and keys [V, Dh], of the same or of another: old with new
Alignment alignment(const Tensor& query, const Tensor& keys, const NumberTask& task);
Alignment alignment(const ClsModel& model, const NumberTask& task, std::int64_t head = 0);

/// How much of the spread of points lies along one axis, and whether they stand there in order.
struct PointAxis {
  double share;  ///< of the first principal component in the variance
  double order;  ///< |Spearman| of the places along it and the ranks: a sign means nothing there
};
/// @param points  [N, Dh]   @param ranks  N of them
PointAxis point_axis(const Tensor& points, const std::vector<double>& ranks);

/// On texts; the vectors have one number a head.
struct NumberScore {
  double accuracy;                 ///< share of the answers that are right
  std::vector<double> on_answer;   ///< mean weight on the tokens that hold the answer
  std::vector<double> on_numbers;  ///< mean weight on all numbers
  std::vector<double> ratio;       ///< mean weight of a number relative to that of a noun
  double noun_accuracy;            ///< of the second readout; NaN without
  std::vector<double> on_noun;     ///< NaN without
};
/// @param tables  what keys and values are made of, if not of the embeddings; its trace is not used
NumberScore number_score(const ClsModel& model, const NumberTask& task, const NumberBatch& texts,
                         const ClsContext& tables = {});

/// Texts to test on, the same for a task and a seed, and none that training saw.
NumberBatch number_tests(const NumberTask& task, std::uint64_t seed, std::int64_t texts = 2000);

}  // namespace gradwalk::tasks
