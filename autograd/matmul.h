#pragma once

#include "autograd/variable.h"

namespace gradwalk {

/// Matrix product over the last two axes, batches broadcasting; values, vector cases and errors as
/// in tensor/matmul.h.
///
///   y = a b     a [..., M, K]  b [..., K, N]  ->  y [..., M, N]
///
/// Gradient   da = dy b^T, db = a^T dy, each summed over batches that were stretched
Variable matmul(const Variable& a, const Variable& b);

/// Outer product of two vectors, y[i, j] = a[i] b[j]; errors as in tensor/matmul.h.
///
/// Gradient   da = dy b, db = dy^T a
Variable outer(const Variable& a, const Variable& b);

}  // namespace gradwalk
