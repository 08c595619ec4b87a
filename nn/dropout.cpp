#include "nn/dropout.h"

#include <fmt/format.h>

#include "autograd/dropout.h"
#include "tensor/error.h"

namespace gradwalk::nn {

Dropout::Dropout(double p, const Seed& seed) : p_(p), generator_((seed / "dropout").generator()) {
  if (!(p >= 0 && p <= 1)) throw_argument_error("Dropout", "0 <= p <= 1", fmt::format("{}", p));
  add_generator("generator", generator_);
}

Variable Dropout::operator()(const Variable& x) {
  if (!training() || p_ == 0) return x;
  return dropout(x, p_, generator_, /*training=*/true);
}

}  // namespace gradwalk::nn
