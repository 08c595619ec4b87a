#include "autograd/embedding.h"

#include "autograd/record.h"
#include "tensor/embedding.h"

namespace gradwalk {

Variable embedding(const Tensor& ids, const Variable& weight) {
  Tensor y = embedding(ids, weight.value());
  auto rule = [ids = Saved(ids), rows = weight.shape()[0]](const Tensor& dy) -> Grads {
    // dweight[n, :] = sum of dy[..., :] where ids is n
    return {embedding_backward(ids, rows, dy)};
  };
  return record("embedding", std::move(y), {weight}, std::move(rule));
}

}  // namespace gradwalk
