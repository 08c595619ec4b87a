#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"

namespace gradwalk {

/// Sets elements to 0 with probability p and scales the rest by 1 / (1 - p); values, draws and
/// errors as in tensor/dropout.h.
///
/// In evaluation (`training` false) and for p = 0 the result is x itself, the same variable, and
/// nothing is recorded.
///
/// Gradient   dx_i = dy_i / (1 - p) where x_i was kept, else 0. The mask is not saved but drawn
///            again from the generator's state: some 90 bytes instead of one for each element
/// Source     Srivastava et al. 2014, section 10
Variable dropout(const Variable& x, double p, Generator& generator, bool training);

}  // namespace gradwalk
