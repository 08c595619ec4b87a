#include "autograd/matmul.h"

#include "autograd/record.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

// A vector on the left stands for one row, on the right for one column.
Tensor as_rows(const Tensor& a) { return a.ndim() == 1 ? unsqueeze(a, 0) : a; }
Tensor as_columns(const Tensor& b) { return b.ndim() == 1 ? unsqueeze(b, 1) : b; }

// [..., M, N] as [... M, N].
Tensor joined(const Tensor& x) {
  if (x.ndim() == 2) return x;
  const Shape leading(std::span<const std::int64_t>(x.shape().begin(), x.shape().end() - 1));
  return reshape(x, {leading.numel(), x.shape()[-1]});
}

// dy b^T, for one matrix b as for a batch of them.
Tensor grad_of_a(const Tensor& dy, const Tensor& a, const Tensor& b) {
  const Tensor da = matmul(dy, transpose(as_columns(b)));  // [..., M, K]
  return reshape(sum_to(da, as_rows(a).shape()), a.shape());
}

// a^T dy. One matrix b for all batches has one product for a gradient: the rows of all batches
// behind each other take the sum over them.
Tensor grad_of_b(const Tensor& dy, const Tensor& a, const Tensor& b) {
  const Tensor rows = as_rows(a);
  const Tensor db = b.ndim() <= 2 ? matmul(transpose(joined(rows)), joined(dy))  // [K, N]
                                  : matmul(transpose(rows), dy);                 // [..., K, N]
  return reshape(sum_to(db, as_columns(b).shape()), b.shape());
}

}  // namespace

Variable matmul(const Variable& a, const Variable& b) {
  Tensor y = matmul(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy, Needs needs) -> Grads {
    // da = dy b^T, db = a^T dy
    const bool matrices = a.get().ndim() == 2 && b.get().ndim() == 2;
    if (matrices) {
      return {needs[0] ? matmul(dy, transpose(b)) : Tensor(),
              needs[1] ? matmul(transpose(a), dy) : Tensor()};
    }
    Tensor dy_full = b.get().ndim() == 1 ? unsqueeze(dy, -1) : dy;
    if (a.get().ndim() == 1) dy_full = unsqueeze(dy_full, -2);  // [..., M, N]
    return {needs[0] ? grad_of_a(dy_full, a, b) : Tensor(),
            needs[1] ? grad_of_b(dy_full, a, b) : Tensor()};
  };
  return record("matmul", std::move(y), {a, b}, std::move(rule));
}

Variable outer(const Variable& a, const Variable& b) {
  Tensor y = outer(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy, Needs needs) -> Grads {
    // da = dy b, db = dy^T a
    return {needs[0] ? matmul(dy, b) : Tensor(),              // [M, N] [N]
            needs[1] ? matmul(transpose(dy), a) : Tensor()};  // [N, M] [M]
  };
  return record("outer", std::move(y), {a, b}, std::move(rule));
}

}  // namespace gradwalk
