#include "autograd/where.h"

#include "autograd/record.h"
#include "tensor/reduce.h"
#include "tensor/where.h"

namespace gradwalk {

Variable where(const Tensor& cond, const Variable& a, const Variable& b) {
  Tensor y = where(cond, a.value(), b.value());
  auto rule = [cond = Saved(cond), as = a.shape(), bs = b.shape()](const Tensor& dy) -> Grads {
    // da = dy where cond, else 0; db = dy where not cond, else 0
    return {sum_to(where(cond, dy, 0.0), as), sum_to(where(cond, 0.0, dy), bs)};
  };
  return record("where", std::move(y), {a, b}, std::move(rule));
}

Variable where(const Tensor& cond, const Variable& a, double b) {
  Tensor y = where(cond, a.value(), b);
  auto rule = [cond = Saved(cond), as = a.shape()](const Tensor& dy) -> Grads {
    return {sum_to(where(cond, dy, 0.0), as)};
  };
  return record("where", std::move(y), {a}, std::move(rule));
}

Variable where(const Tensor& cond, double a, const Variable& b) {
  Tensor y = where(cond, a, b.value());
  auto rule = [cond = Saved(cond), bs = b.shape()](const Tensor& dy) -> Grads {
    return {sum_to(where(cond, 0.0, dy), bs)};
  };
  return record("where", std::move(y), {b}, std::move(rule));
}

Variable masked_fill(const Variable& x, const Tensor& mask, double value) {
  Tensor y = masked_fill(x.value(), mask, value);
  auto rule = [mask = Saved(mask)](const Tensor& dy) -> Grads {
    // dx = 0 where mask, else dy
    return {masked_fill(dy, mask, 0.0)};
  };
  return record("masked_fill", std::move(y), {x}, std::move(rule));
}

}  // namespace gradwalk
