#include "tensor/kernels/triangle.h"

#include <algorithm>

#include "tensor/kernels/strided.h"

namespace gradwalk::kernels {
namespace {

// y[j] = x[j] for j in [begin, end), 0 for the other columns.
template <class T>
void keep(const T* x, std::int64_t step, std::int64_t begin, std::int64_t end, std::int64_t columns,
          T* y) {
  std::fill(y, y + begin, T{});
  if (step == 1) {
    std::copy(x + begin, x + end, y + begin);
  } else {
    for (std::int64_t j = begin; j < end; ++j) y[j] = x[j * step];
  }
  std::fill(y + end, y + columns, T{});
}

}  // namespace

template <class T>
void triangle(const Shape& shape, const Strides& strides, const T* x, Side side,
              std::int64_t diagonal, T* y) {
  const std::int64_t rows = shape[-2];
  const std::int64_t columns = shape[-1];
  const std::int64_t column_step = strides[static_cast<std::size_t>(shape.ndim() - 1)];
  const Shape without_columns(std::span<const std::int64_t>(shape.begin(), shape.end() - 1));
  std::int64_t i = 0;  // the row within its matrix
  for_each_row<1>(without_columns, {&strides},
                  [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
                    for (std::int64_t k = 0; k < n; ++k, y += columns) {
                      const T* row = x + at[0] + k * step[0];
                      const std::int64_t first = i + diagonal + (side == Side::kLower ? 1 : 0);
                      const std::int64_t cut = std::clamp<std::int64_t>(first, 0, columns);
                      if (side == Side::kLower) {
                        keep(row, column_step, 0, cut, columns, y);
                      } else {
                        keep(row, column_step, cut, columns, columns, y);
                      }
                      if (++i == rows) i = 0;
                    }
                  });
}

template void triangle(const Shape&, const Strides&, const float*, Side, std::int64_t, float*);
template void triangle(const Shape&, const Strides&, const double*, Side, std::int64_t, double*);
template void triangle(const Shape&, const Strides&, const std::int64_t*, Side, std::int64_t,
                       std::int64_t*);
template void triangle(const Shape&, const Strides&, const bool*, Side, std::int64_t, bool*);

}  // namespace gradwalk::kernels
