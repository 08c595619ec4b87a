#include "autograd/cross_entropy.h"

#include "autograd/record.h"

namespace gradwalk {

Variable cross_entropy(const Variable& logits, const Tensor& targets,
                       const CrossEntropyOptions& options) {
  Tensor loss = cross_entropy(logits.value(), targets, options);
  // The logits are kept, not the probabilities: they are there already, and the gradient keeps its
  // digits.
  auto rule = [logits = Saved(logits.value()), targets = Saved(targets),
               options](const Tensor& dy) -> Grads {
    return {cross_entropy_backward(logits, targets, dy, options)};
  };
  return record("cross_entropy", std::move(loss), {logits}, std::move(rule));
}

}  // namespace gradwalk
