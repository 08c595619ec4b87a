#include "nn/optim/check_parameters.h"

#include <fmt/format.h>

#include <string_view>

#include "tensor/error.h"

namespace gradwalk::nn {

void check_parameters(const char* optimizer, const std::vector<Variable>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].requires_grad()) {
      throw_argument_error(optimizer, "parameters that need a gradient",
                           fmt::format("a constant at {}", i),
                           {{"parameter", parameters[i].shape()}});
    }
    if (std::string_view(parameters[i].op()) != "leaf") {
      throw_argument_error(optimizer, "leaves",
                           fmt::format("the result of {} at {}", parameters[i].op(), i),
                           {{"parameter", parameters[i].shape()}});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (parameters[j].node() == parameters[i].node()) {
        throw_argument_error(optimizer, "each parameter once",
                             fmt::format("one at {} and {}", j, i),
                             {{"parameter", parameters[i].shape()}});
      }
    }
  }
}

}  // namespace gradwalk::nn
