#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// The lower and the upper triangle of each matrix; shapes and errors as in tensor/triangle.h.
///
/// Gradient   dx = the same triangle of dy
Variable tril(const Variable& x, std::int64_t diagonal = 0);
Variable triu(const Variable& x, std::int64_t diagonal = 0);

}  // namespace gradwalk
