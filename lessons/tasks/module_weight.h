#pragma once

#include <string_view>

#include "nn/module.h"

namespace gradwalk::tasks {

/// A parameter's value by name, such as "attention.q_proj.weight": a handle on the module's own
/// storage, so that to write into it (tensor/inplace.h) is to change the module.
/// @throws std::out_of_range that says the name
Tensor weight_of(const nn::Module& module, std::string_view name);

}  // namespace gradwalk::tasks
