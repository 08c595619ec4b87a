#pragma once

#include "nn/module.h"

namespace gradwalk::tasks {

/// Multiplies W_Q and W_K of all layers, each by `gain`, in place: scores grow by gain^2, and
/// nothing else of a new model changes.
void multiply_query_key(const nn::Module& model, double gain);

}  // namespace gradwalk::tasks
