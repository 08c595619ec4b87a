#include "autograd/cumsum.h"

#include "autograd/record.h"
#include "tensor/cumsum.h"

namespace gradwalk {

Variable cumsum(const Variable& x, int axis) {
  return record("cumsum", cumsum(x.value(), axis), {x},
                [axis](const Tensor& dy) -> Grads { return {cumsum_backward(dy, axis)}; });
}

}  // namespace gradwalk
