#include "autograd/rms_norm.h"

#include <array>

#include "autograd/record.h"
#include "tensor/rms_norm.h"

namespace gradwalk {

Variable rms_norm(const Variable& x, const Variable& gamma, double eps) {
  RmsNormResult result = rms_norm_with_statistics(x.value(), gamma.value(), eps);
  const bool has_gamma = gamma.value().defined();
  const std::array<Input, 2> inputs = {x, gamma};
  auto rule = [x = Saved(x.value()), rrms = Saved(result.rrms),
               gamma = has_gamma ? std::optional<Saved>(gamma.value())
                                 : std::nullopt](const Tensor& dy) -> Grads {
    // With g = gamma dy: dx = rrms (g - xhat mean(g xhat)), dgamma = sum dy xhat.
    const RmsNormGrads all = rms_norm_backward(x, gamma ? gamma->get() : Tensor(), rrms, dy);
    Grads grads(all.dx);
    if (gamma) grads.push_back(all.dgamma);
    return grads;
  };
  return record("rms_norm", std::move(result.y),
                std::span<const Input>(inputs.data(), has_gamma ? 2 : 1), std::move(rule));
}

}  // namespace gradwalk
