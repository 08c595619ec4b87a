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

}  // namespace

Variable matmul(const Variable& a, const Variable& b) {
  Tensor y = matmul(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy) -> Grads {
    const Tensor rows = as_rows(a);        // [..., M, K]
    const Tensor columns = as_columns(b);  // [..., K, N]
    Tensor dy_full = b.get().ndim() == 1 ? unsqueeze(dy, -1) : dy;
    if (a.get().ndim() == 1) dy_full = unsqueeze(dy_full, -2);  // [..., M, N]
    const Tensor da = sum_to(matmul(dy_full, transpose(columns)), rows.shape());
    const Tensor db = sum_to(matmul(transpose(rows), dy_full), columns.shape());
    return {reshape(da, a.get().shape()), reshape(db, b.get().shape())};
  };
  return record("matmul", std::move(y), {a, b}, std::move(rule));
}

Variable outer(const Variable& a, const Variable& b) {
  Tensor y = outer(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy) -> Grads {
    return {matmul(dy, b), matmul(transpose(dy), a)};  // [M, N] [N] and [N, M] [M]
  };
  return record("outer", std::move(y), {a, b}, std::move(rule));
}

}  // namespace gradwalk
