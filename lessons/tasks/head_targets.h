#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

/// What a head of a causal model is looked at for: how much of its weight lies on the keys that a
/// job would need, beside what an even spread over all visible keys would put there.
namespace gradwalk::tasks {

/// Mean over the queries that have a target of the weight on their targets, one number a head.
///
/// @param weights  [B, H, T, T], after the softmax
/// @param targets  bool [B, T, T], true: key s is what query t should look at; a query without any
///                 does not count
/// @return         H numbers in [0, 1]; NaN where no query has a target
/// @throws ShapeError if shapes do not fit; std::invalid_argument for dtypes
std::vector<double> weight_on(const Tensor& weights, const Tensor& targets);

/// The same of a map that spreads evenly: 1/(t+1) for each of the keys 0, ..., t.
double even_weight_on(const Tensor& targets);

/// The largest of a layer's heads. @throws std::invalid_argument if there are none
double best_head(const std::vector<double>& heads);

/// The key before the query, of queries from `first` on. @return  bool [B, T, T]
Tensor previous_key(std::int64_t batch, std::int64_t tokens, std::int64_t first);

}  // namespace gradwalk::tasks
