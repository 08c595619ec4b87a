#include "nn/optim/sgd.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/optim/check_parameters.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {

Sgd::Sgd(std::vector<Variable> parameters, double lr)
    : parameters_(std::move(parameters)), lr_(lr) {
  if (!(lr > 0 && std::isfinite(lr))) {
    throw_argument_error("Sgd", "a finite lr > 0", fmt::format("{}", lr));
  }
  check_parameters("Sgd", parameters_);
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
