#include "autograd/layer_norm.h"

#include <array>

#include "autograd/record.h"
#include "tensor/layer_norm.h"

namespace gradwalk {

Variable layer_norm(const Variable& x, const Variable& gamma, const Variable& beta, double eps) {
  LayerNormResult result = layer_norm_with_statistics(x.value(), gamma.value(), beta.value(), eps);
  const bool has_gamma = gamma.value().defined();
  const bool has_beta = beta.value().defined();
  std::array<Input, 3> inputs = {x, x, x};
  std::size_t count = 1;
  if (has_gamma) inputs[count++] = gamma;
  if (has_beta) inputs[count++] = beta;
  // x is there already and xhat is not: two numbers a row make it again. beta is not needed.
  auto rule = [x = Saved(x.value()), mean = Saved(result.mean), rstd = Saved(result.rstd),
               gamma = has_gamma ? std::optional<Saved>(gamma.value()) : std::nullopt,
               has_beta](const Tensor& dy) -> Grads {
    // With g = gamma dy: dx = rstd (g - mean(g) - xhat mean(g xhat)), dgamma = sum dy xhat,
    // dbeta = sum dy.
    const LayerNormGrads all =
        layer_norm_backward(x, gamma ? gamma->get() : Tensor(), mean, rstd, dy);
    Grads grads(all.dx);
    if (gamma) grads.push_back(all.dgamma);
    if (has_beta) grads.push_back(all.dbeta);
    return grads;
  };
  return record("layer_norm", std::move(result.y), std::span<const Input>(inputs.data(), count),
                std::move(rule));
}

}  // namespace gradwalk
