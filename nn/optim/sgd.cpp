#include "nn/optim/sgd.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/optim/check_parameters.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {

Sgd::Sgd(std::vector<Variable> parameters, double lr, double momentum)
    : parameters_(std::move(parameters)),
      velocities_(parameters_.size()),
      lr_(lr),
      momentum_(momentum) {
  if (!(lr > 0 && std::isfinite(lr))) {
    throw_argument_error("Sgd", "a finite lr > 0", fmt::format("{}", lr));
  }
  if (!(momentum >= 0 && momentum < 1)) {
    throw_argument_error("Sgd", "0 <= momentum < 1", fmt::format("{}", momentum));
  }
  check_parameters("Sgd", parameters_);
}

void Sgd::step() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& grad = parameters_[i].grad();
    if (!grad.defined()) continue;
    if (momentum_ == 0) {
      add_into(parameters_[i].value(), grad, -lr_);
      continue;
    }
    Tensor& velocity = velocities_[i];
    if (velocity.defined()) {
      mul_into(velocity, momentum_);
      add_into(velocity, grad);
    } else {
      velocity = clone(grad);
    }
    add_into(parameters_[i].value(), velocity, -lr_);
  }
}

void Sgd::zero_grad() {
  for (const Variable& parameter : parameters_) parameter.zero_grad();
}

}  // namespace gradwalk::nn
