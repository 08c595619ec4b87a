#pragma once

#include "tensor/kernels/matrix_view.h"

namespace gradwalk::kernels {

/// y[j] = sum_i x[i, j]: the gradient of a bias. Rows without gaps; float, double. The same bits
/// for any number of threads: columns are shared out, and a group of eight rows is summed before it
/// is added, so that no element takes part in more than rows / 8 + 8 roundings.
template <class T>
void column_sums(std::int64_t rows, std::int64_t columns, const T* x, T* y);

}  // namespace gradwalk::kernels
