#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "autograd/variable.h"

namespace gradwalk {

/// Putting tensors together and taking them apart; shapes and errors as in tensor/join.h.
///
/// Gradient   concat, stack: each part gets its piece of dy
///            split: each piece's dy in its place, 0 elsewhere
Variable concat(std::span<const Variable> parts, int axis);
Variable concat(std::initializer_list<Variable> parts, int axis);
Variable stack(std::span<const Variable> parts, int axis);
Variable stack(std::initializer_list<Variable> parts, int axis);
std::vector<Variable> split(const Variable& x, int axis, std::span<const std::int64_t> sizes);
std::vector<Variable> split(const Variable& x, int axis, std::initializer_list<std::int64_t> sizes);
std::vector<Variable> split(const Variable& x, int axis, std::int64_t parts);

}  // namespace gradwalk
