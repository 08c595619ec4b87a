#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/training.h"
#include "tensor/tensor.h"

/// The one head of a [CLS] model, taken out of it in float64, and what can be measured on it.
namespace gradwalk::lesson_16 {

inline constexpr std::int64_t kHeadDim = 8;
inline const double kScale = 1 / std::sqrt(static_cast<double>(kHeadDim));  ///< of the scores

/// What a model was trained to look for.
enum class Asked { kNumbers, kNouns, kNothing /**< as it begins */ };

/// The training of this lesson; parameter `updates`.
tasks::NumberTraining training_for(course::Step& step, Asked asked);
/// Model `model` of `seeds`, the same in all steps and, as far as they ask for it, in all lessons.
std::unique_ptr<tasks::ClsModel> model_for(course::Step& step, Asked asked, std::int64_t model);

struct OneHead {
  Tensor embeddings;    ///< [V, D], a row a token; row 0 is [CLS]
  Tensor query_weight;  ///< W_Q [Dh, D]
  Tensor key_weight;    ///< W_K [Dh, D]

  Tensor query() const;  ///< [Dh], W_Q h of [CLS]
  Tensor keys() const;   ///< [V, Dh], W_K h of each token
};
OneHead head_of(const tasks::ClsModel& model);

/// The same head in another basis (lessons/tasks/basis.h). @param r  [Dh, Dh]
OneHead in_basis(const OneHead& head, const Tensor& r);

/// A basis R [Dh, Dh] of N(0, 1) numbers, the same for one name; with `rotation` the rotation (or
/// reflection) nearest to it, which keeps lengths and angles.
Tensor random_basis(const course::Step& step, const std::string& name, bool rotation);

/// The model's own scaled scores of [CLS] with the whole vocabulary, [V], as its attention computes
/// them.
Tensor own_scores(const tasks::ClsModel& model);

/// A query and S keys: scores are |q| |k| cos(q, k) / sqrt(Dh), weights their softmax.
struct Reading {
  Tensor lengths;  ///< [S], of the keys
  Tensor cosines;  ///< [S]
  Tensor scores;   ///< [S]
  Tensor weights;  ///< [S]
};
/// @param query  [Dh]   @param keys  [S, Dh]
Reading reading_of(const Tensor& query, const Tensor& keys);

/// Keys of the same directions, all of their mean length. @param keys  [S, Dh], none of them 0
Tensor of_one_length(const Tensor& keys);

/// Whether two numbers a token, [V], put the tokens in one order: Spearman, without [CLS].
double same_order(const Tensor& a, const Tensor& b);

/// What the rows of W_Q, taken for embeddings, would be as keys: W_K w_r, [Dh, Dh], a row a row.
Tensor rows_as_keys(const OneHead& head);

/// W_Q for tokens that come as one-hot vectors, stored [in, out]: E W_Q^T [V, Dh].
Tensor one_hot_weight(const OneHead& head);

/// Two matrices of one shape as long vectors.
struct MatrixSimilarity {
  double product;  ///< sum_ij a_ij b_ij
  double lengths;  ///< |a| |b|, roots of the sums of squares
  double cosine() const { return product / lengths; }
};
MatrixSimilarity matrix_similarity(const Tensor& a, const Tensor& b);

}  // namespace gradwalk::lesson_16
