#pragma once

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/strided.h"

namespace gradwalk::kernels {

/// walk_rows in threads, which share the outermost axis: f(offsets, n, steps, done), where `done`
/// elements come before the row in row-major order.
///
/// @param work  of all rows together, in units of about a nanosecond
template <int N, class F>
void for_each_row_in_threads(const StridedLoop<N>& loop, std::int64_t work, F&& f) {
  std::int64_t each = 1;  // elements of one place on the outermost axis
  for (int axis = 1; axis < loop.ndim; ++axis) each *= loop.sizes[static_cast<std::size_t>(axis)];
  constexpr std::int64_t kLongRowGrain = 64;
  parallel_for(loop.ndim == 0 ? 1 : loop.sizes[0], work, loop.ndim == 1 ? kLongRowGrain : 1,
               [&](std::int64_t first, std::int64_t last) {
                 StridedLoop<N> own = loop;
                 own.sizes[0] = last - first;
                 Offsets<N> at{};
                 for (std::size_t k = 0; k < at.size(); ++k) at[k] = first * loop.steps[0][k];
                 std::int64_t done = first * each;
                 walk_rows<N>(own, at,
                              [&](const Offsets<N>& from, std::int64_t n, const Offsets<N>& step) {
                                f(from, n, step, done);
                                done += n;
                              });
               });
}

}  // namespace gradwalk::kernels
