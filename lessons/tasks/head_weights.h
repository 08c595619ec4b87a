#pragma once

#include <cstdint>
#include <string>

#include "nn/causal_lm.h"
#include "tensor/tensor.h"

namespace gradwalk::tasks {

/// One head's part of a layer's four attention matrices. The tensors share the model's storage: to
/// write into them (tensor/inplace.h) is to change the model.
struct HeadWeights {
  Tensor query;   ///< [Dh, D], rows of `q_proj.weight`
  Tensor key;     ///< [Dh, D]
  Tensor value;   ///< [Dh, D]
  Tensor output;  ///< [D, Dh], columns of `o_proj.weight`
};

/// Of any model, that of an nn::MultiHeadAttention.
/// @param attention  its path there, such as "attention"
/// @param heads      how many it has, each with keys of its own
/// @throws std::out_of_range for a head that is not there; std::invalid_argument if it lacks one of
/// the four matrices
HeadWeights head_weights(const nn::Module& model, const std::string& attention, std::int64_t heads,
                         std::int64_t head);

/// @throws std::out_of_range for a layer or a head that is not there; std::invalid_argument if the
/// model's heads share keys, or lack one of the four matrices
HeadWeights head_weights(const nn::CausalLm& model, std::int64_t layer, std::int64_t head);

/// `o_proj.weight` of a layer, [D, H Dh], as nn::head_contributions wants it. @throws likewise
Tensor output_weight(const nn::CausalLm& model, std::int64_t layer);

}  // namespace gradwalk::tasks
