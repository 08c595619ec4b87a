#pragma once

#include <cstdint>

#include "lessons/tasks/numbers/cls_model.h"
#include "tensor/tensor.h"

/// Three ways to hold a query against the tokens of a vocabulary.
namespace gradwalk::lesson_20 {

/// What embeddings h are to the query q of [CLS]:
///
///   as a key       cos(q, W_K h)
///   turned round   cos(W_K^T q, h),     since q.(W_K h) = (W_K^T q).h
///   inverted       cos(pinv(W_K) q, h), with the shortest h whose key is (nearest to) q
struct QueryMaps {
  Tensor w_k;                                 ///< [Dh, D]
  Tensor embeddings;                          ///< h [V, D]
  Tensor query;                               ///< q [Dh]
  Tensor pulled;                              ///< W_K^T q [D]
  Tensor inverted;                            ///< pinv(W_K) q [D]
  Tensor keys;                                ///< [V, Dh]
  Tensor scores;                              ///< q.k_i [V], without a scale
  Tensor cos_keys, cos_pulled, cos_inverted;  ///< [V]

  /// Spearman of cosines [V] with the scores: do they put the tokens in one order?
  double order(const Tensor& cosines) const;
};
/// @param q_weight, k_weight  [Dh, D]   @param embeddings  [V, D]; row 0 is [CLS]
QueryMaps query_maps(const Tensor& q_weight, const Tensor& k_weight, const Tensor& embeddings);

/// Largest singular value over the smallest.
double condition(const Tensor& matrix);

/// The nearest matrix that only turns: all singular values become 1.
Tensor turning_part(const Tensor& matrix);

/// The nearest matrix of a rank: all but the largest singular values become 0.
Tensor of_rank(const Tensor& matrix, std::int64_t rank);

/// What keys can reach of a query: W_K pinv(W_K) q, [Dh]. It has the scores of q.
Tensor reached_part(const Tensor& query, const Tensor& k_weight);

}  // namespace gradwalk::lesson_20
