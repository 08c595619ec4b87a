#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/variable.h"

namespace gradwalk {

struct GradCheckOptions {
  double step = 1e-5;       ///< of the central difference
  double tolerance = 1e-6;  ///< relative
  std::uint64_t seed = 1;   ///< of the random weights on the output
};

struct GradCheckReport {
  bool ok = false;
  std::int64_t entries = 0;  ///< compared: every entry of every input
  double worst = 0;          ///< largest relative error
  double step = 0;
  std::string message;  ///< on failure the worst entry: op, input, index and both numbers
};

/// Compares backward with central differences of F = sum(w * f(inputs)), w normal.
///
///   (F(x + h) - F(x - h)) / 2h
///
/// In float64 (inputs are converted), on every entry of every input. The weights are random because
/// ones hide faults: the outputs of a softmax sum to a constant, so a backward that returns zeros
/// would pass. An error is relative to the larger of the two numbers, but to no less than a
/// hundredth of the input's largest gradient or 1e-4 of the output's scale, below which a central
/// difference has no digits.
///
/// @param f       a function from Variables to one Variable; called anew for each difference
/// @param inputs  float tensors; keep them off kinks (relu at 0)
/// @throws whatever f throws
GradCheckReport grad_check(std::string_view op,
                           const std::function<Variable(const std::vector<Variable>&)>& f,
                           const std::vector<Tensor>& inputs, const GradCheckOptions& options = {});

}  // namespace gradwalk
