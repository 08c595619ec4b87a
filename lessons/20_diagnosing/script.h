#pragma once

#include <cstdint>

#include "tensor/tensor.h"

/// The article's compute_qk_match, and what is wrong with it.
namespace gradwalk::lesson_20 {

/// Which of the script's two mistakes are put right.
enum class ScriptMend {
  kNone,
  kQuery,  ///< W_Q h of [CLS] in place of a row of W_Q
  kMap,    ///< no pinv(W_K): as it stands beside the keys
  kBoth
};

/// The cosines that the script takes the mean of, before it does so:
///
///   cos(pinv(W_K) W_Q[row], W_K h_i)
///
/// @param q_weight    `q_proj.weight` [H Dh, D], all heads
/// @param k_weight    `k_proj.weight`, likewise
/// @param row         of q_weight: the script takes the id of [CLS]
/// @param embeddings  h [V, D], a row a token; row 0 is [CLS]
/// @return            [V]
/// @throws ShapeError, as matmul and nn::cosine, where H Dh is not D: only kBoth needs no such
/// luck; std::out_of_range for a row that is not there
Tensor script_cosines(const Tensor& q_weight, const Tensor& k_weight, std::int64_t row,
                      const Tensor& embeddings, ScriptMend mend = ScriptMend::kNone);

}  // namespace gradwalk::lesson_20
