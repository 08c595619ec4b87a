#include "autograd/dropout.h"

#include "autograd/record.h"
#include "tensor/dropout.h"

namespace gradwalk {

Variable dropout(const Variable& x, double p, Generator& generator, bool training) {
  const Generator before = generator;
  Tensor y = dropout(x.value(), p, generator, training);
  if (!training || p == 0) return x;
  auto rule = [before, p](const Tensor& dy) -> Grads {
    // dx_i = dy_i / (1 - p) where x_i was kept, else 0: the same draws again.
    Generator again = before;
    return {dropout(dy, p, again, /*training=*/true)};
  };
  return record("dropout", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
