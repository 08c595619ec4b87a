#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lessons/tasks/dictionary.h"
#include "tensor/random.h"

/// What scores do and do not need, measured on score matrices and on dictionary models.
namespace gradwalk::lesson_07 {

/// The scores of N tokens with each other, [N, N].
struct ScoreFacts {
  double asymmetry;  ///< largest |s_ij - s_ji|
  double deviation;  ///< standard deviation of all entries
  double smallest;   ///< eigenvalue of the symmetric part: of u^T s u with |u| = 1
  double own_best;   ///< share of rows whose largest entry is on the diagonal
};
/// @throws ShapeError unless square
ScoreFacts facts_of(const Tensor& scores);

/// |a - b| / |b|, Frobenius norms.
double relative_change(const Tensor& a, const Tensor& b);

/// Questions for the first keys and cards with them, before softmax. A card holds the mean of all
/// values, so that only its key tells it from the others.
struct KeyTable {
  Tensor query;   ///< [keys, D]
  Tensor key;     ///< [keys, D]
  Tensor scores;  ///< [keys, keys], row: question, column: card
};
KeyTable key_table(const tasks::DictionaryModel& model, std::int64_t keys);

/// How the question k spreads its weight where it asks for card k + 1: means over pages.
struct QuestionWeights {
  double right;   ///< on card k + 1
  double itself;  ///< on the question
  double before;  ///< on card k - 1, on pages that have it
  double others;  ///< on all other cards together
  /// Of the pages answered wrong, the share on which the question has more weight than any card; 0
  /// if none is wrong.
  double wrong_itself;
};
QuestionWeights question_weights(const tasks::DictionaryModel& model, std::int64_t pages,
                                 Generator& generator);

/// The model without W_K and W_V that answers alike, since only products act:
///
///   q.k = x_i W_Q^T W_K x_j^T, so W_Q' = W_K^T W_Q        W_O' = W_O W_V
///
/// @param multiply  false: W_K and W_V are left out, and W_Q and W_O stay as they are
std::unique_ptr<tasks::DictionaryModel> without_key_and_value(const tasks::DictionaryModel& full,
                                                              bool multiply);

/// How far outputs of the head leave the range of the values, coordinate by coordinate, as a share
/// of the largest value; at most 0 if a mean cannot but stay between.
double beyond_values(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& batch);

/// W_Q becomes W_K and the other way round, in place.
void exchange_weights(const Tensor& query_weight, const Tensor& key_weight);

/// The model's logits with the roles exchanged: the question asks with W_K, cards answer with W_Q.
Variable with_roles_exchanged(const tasks::DictionaryModel& model,
                              const tasks::DictionaryBatch& batch);

}  // namespace gradwalk::lesson_07
