#include "autograd/cumsum.h"

#include "autograd/record.h"
#include "tensor/cumsum.h"

namespace gradwalk {

Variable cumsum(const Variable& x, int axis) {
  // dx_i = dy_i + ... + dy_(n-1): x_i is a summand of y_i and of all later ones.
  return record("cumsum", cumsum(x.value(), axis), {x},
                [axis](const Tensor& dy) -> Grads { return {cumsum_backward(dy, axis)}; });
}

}  // namespace gradwalk
