#include "autograd/triangle.h"

#include "autograd/record.h"
#include "tensor/triangle.h"

namespace gradwalk {

Variable tril(const Variable& x, std::int64_t diagonal) {
  // dx = the same triangle of dy
  return record("tril", tril(x.value(), diagonal), {x},
                [diagonal](const Tensor& dy) -> Grads { return {tril(dy, diagonal)}; });
}

Variable triu(const Variable& x, std::int64_t diagonal) {
  return record("triu", triu(x.value(), diagonal), {x},
                [diagonal](const Tensor& dy) -> Grads { return {triu(dy, diagonal)}; });
}

}  // namespace gradwalk
