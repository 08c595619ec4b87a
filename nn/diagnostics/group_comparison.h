#pragma once

#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"
#include "tensor/tensor.h"

namespace gradwalk::nn {

/// Numbers of a group of tokens beside those of a control group: a mean alone says nothing.
struct GroupComparison {
  Summary group;
  Summary control;
  double gap;       ///< group.mean - control.mean
  double cohens_d;  ///< of group against control
  TTest welch;      ///< takes the tokens as independent, which those of one model are not quite
};

/// Compares the elements of `values` that two masks choose: cosines, logits, attention weights.
///
/// @param values          float, any shape; compared in float64
/// @param group, control  bool, broadcast to values' shape; at least two elements each, none in
///                        both. Elements in neither are not looked at
/// @throws ShapeError if a mask does not broadcast to values' shape; std::invalid_argument for
/// dtypes, fewer than two elements in a group, and elements in both
GroupComparison compare_groups(const Tensor& values, const Tensor& group, const Tensor& control);

}  // namespace gradwalk::nn
