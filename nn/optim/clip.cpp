#include "nn/optim/clip.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/moments.h"

namespace gradwalk::nn {

double clip_grad_norm(const std::vector<Variable>& parameters, double max_norm) {
  if (!(max_norm > 0)) {
    throw_argument_error("clip_grad_norm", "max_norm > 0", fmt::format("{}", max_norm));
  }
  double squares = 0;
  for (const Variable& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    const double length = norm(parameter.grad()).item();
    squares += length * length;
  }
  const double total = std::sqrt(squares);
  if (std::isfinite(total) && total > max_norm) {
    for (const Variable& parameter : parameters) {
      if (parameter.grad().defined()) mul_into(parameter.grad(), max_norm / total);
    }
  }
  return total;
}

}  // namespace gradwalk::nn
