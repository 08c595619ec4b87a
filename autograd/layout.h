#pragma once

#include <initializer_list>

#include "autograd/variable.h"

namespace gradwalk {

/// Other views of a value; shapes and errors as in tensor/layout.h. Each gradient takes the way
/// back.
///
/// Gradient   transpose, permute: dy with the axes put back
///            reshape, squeeze, unsqueeze: dy in x's shape
///            expand: dy summed over the stretched axes
///            slice, select: dy in its place, 0 elsewhere
Variable transpose(const Variable& x);
Variable permute(const Variable& x, std::initializer_list<int> axes);
Variable reshape(const Variable& x, const Shape& shape);
Variable expand(const Variable& x, const Shape& shape);
Variable slice(const Variable& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
Variable select(const Variable& x, int axis, std::int64_t index);
Variable squeeze(const Variable& x, int axis);
Variable unsqueeze(const Variable& x, int axis);

}  // namespace gradwalk
