#pragma once

#include <vector>

#include "autograd/variable.h"

namespace gradwalk::nn {

/// What an optimizer asks of its parameters.
/// @throws std::invalid_argument that names `optimizer` for a variable that needs no gradient or is
/// no leaf, or one that is listed twice (it would move twice)
void check_parameters(const char* optimizer, const std::vector<Variable>& parameters);

}  // namespace gradwalk::nn
