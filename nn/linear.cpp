#include "nn/linear.h"

#include <fmt/format.h>

#include "autograd/linear.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {

Linear::Linear(std::int64_t in, std::int64_t out, const Seed& seed, const LinearOptions& options) {
  if (in < 1 || out < 1) {
    throw_argument_error("Linear", "in >= 1 and out >= 1", fmt::format("{} and {}", in, out));
  }
  weight_ = add_parameter(
      "weight", initial({out, in}, options.init, seed / "weight", options.dtype, "Linear"));
  if (options.bias) bias_ = add_parameter("bias", zeros({out}, options.dtype));
}

Variable Linear::operator()(const Variable& x) const { return linear(x, weight_, bias_); }

}  // namespace gradwalk::nn
