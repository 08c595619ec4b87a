#include "nn/optim/sgd.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {

Sgd::Sgd(std::vector<Variable> parameters, double lr)
    : parameters_(std::move(parameters)), lr_(lr) {
  if (!(lr > 0 && std::isfinite(lr))) {
    throw_argument_error("Sgd", "a finite lr > 0", fmt::format("{}", lr));
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].requires_grad()) {
      throw_argument_error("Sgd", "parameters that need a gradient",
                           fmt::format("a constant at {}", i),
                           {{"parameter", parameters_[i].shape()}});
    }
    if (std::string_view(parameters_[i].op()) != "leaf") {
      throw_argument_error("Sgd", "leaves",
                           fmt::format("the result of {} at {}", parameters_[i].op(), i),
                           {{"parameter", parameters_[i].shape()}});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (parameters_[j].node() == parameters_[i].node()) {
        throw_argument_error("Sgd", "each parameter once", fmt::format("one at {} and {}", j, i),
                             {{"parameter", parameters_[i].shape()}});
      }
    }
  }
}

void Sgd::step() {
  for (const Variable& parameter : parameters_) {
    if (parameter.grad().defined()) add_into(parameter.value(), parameter.grad(), -lr_);
  }
}

void Sgd::zero_grad() {
  for (const Variable& parameter : parameters_) parameter.zero_grad();
}

}  // namespace gradwalk::nn
