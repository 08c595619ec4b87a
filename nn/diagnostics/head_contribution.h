#pragma once

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// What each head alone adds to the output of attention: vectors of its head space through its own
/// columns of W_O. The sum over heads, plus o_proj's bias, is what attention returns.
///
///   y_h = W_O[:, h Dh : (h + 1) Dh] x_h
///
/// Measure heads by this and not by values or outputs in head space: any invertible R makes of W_V
/// and W_O another pair with the same y.
///
/// @param x         [B, G, T, Dh], float: AttentionTrace::head_outputs (G = H), or ::value, whose
///                  head floor(h G / H) then stands for query head h
/// @param o_weight  [D, H Dh], x's dtype: `o_proj.weight`, H a multiple of G
/// @return          [B, H, T, D], summed in float64
/// @throws ShapeError if the shapes do not fit; std::invalid_argument for dtypes
/// Source  Kobayashi et al. 2020, "Attention is not only a weight", section 2.2; Elhage et al. 2021
Tensor head_contributions(const Tensor& x, const Tensor& o_weight);

/// Each head's share of the output's energy, the squared lengths of what heads add:
///
///   share_h = sum |y_h|^2 / sum_h' sum |y_h'|^2,  sums over batch and positions
///
/// @param contributions  [B, H, T, D], float, of head_contributions
/// @return               [H], sums to 1; all 0 where nothing is added. NaN stays visible
/// @note                 Heads may cancel each other: their energies do not add up to the output's
/// @throws ShapeError unless contributions are [B, H, T, D]; std::invalid_argument for dtypes
Tensor output_share(const Tensor& contributions);

}  // namespace gradwalk::nn
