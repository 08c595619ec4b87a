#include "lessons/tasks/module_weight.h"

#include <fmt/format.h>

#include <stdexcept>

namespace gradwalk::tasks {

Tensor weight_of(const nn::Module& module, std::string_view name) {
  for (const auto& [own, tensor] : module.state_dict()) {
    if (own == name) return tensor;
  }
  throw std::out_of_range(fmt::format("weight_of: the module has no {}", name));
}

}  // namespace gradwalk::tasks
