#include "autograd/cross_entropy.h"

#include "autograd/record.h"
#include "tensor/elementwise.h"

namespace gradwalk {

Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options) {
  const Input input = logits;
  if (!wants_record({&input, 1})) {
    return record("cross_entropy", cross_entropy(logits.value(), targets, options), {logits},
                  [](const Tensor&) -> Grads { return {}; });
  }
  // The gradient is made here, where the exponentials are: it costs one more write, while a
  // backward of its own would read the logits and take all exponentials again. A loss is nearly
  // always the end of the graph: dy is 1.
  CrossEntropyResult result = cross_entropy_with_gradient(logits.value(), targets, options);
  auto rule = [dlogits = Saved(result.dlogits)](const Tensor& dy) -> Grads {
    // dx_bj = dy (softmax(x_b)_j - q_bj) / n, of which dlogits is all but dy
    if (dy.item() == 1) return {dlogits.get()};
    return {mul(dlogits, dy)};
  };
  return record("cross_entropy", std::move(result.loss), {logits}, std::move(rule));
}

}  // namespace gradwalk
