#include "tensor/kernels/gather.h"

#include <algorithm>
#include <vector>

namespace gradwalk::kernels {
namespace {

// The slices of dy that each id names, in the order in which they came: those of id r are
// order[begin[r]], ..., order[begin[r + 1] - 1].
struct Buckets {
  Buckets(std::int64_t size, std::int64_t count, const std::int64_t* ids)
      : begin(static_cast<std::size_t>(size + 1), 0), order(static_cast<std::size_t>(count)) {
    for (std::int64_t i = 0; i < count; ++i) ++begin[static_cast<std::size_t>(ids[i] + 1)];
    for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::int64_t i = 0; i < count; ++i) {
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(ids[i])]++)] = i;
    }
  }
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> order;
};

// out = the sum of rows dy[order[i]], in order and in float64, a piece of the row at a time.
template <class T>
void sum_rows(std::int64_t width, const T* dy, const std::int64_t* order, std::int64_t count,
              T* out) {
  if (count == 0) {
    std::fill(out, out + width, T{});
    return;
  }
  if (count == 1) {
    std::copy(dy + *order * width, dy + (*order + 1) * width, out);
    return;
  }
  constexpr std::int64_t kPiece = 256;
  double total[kPiece];
  for (std::int64_t begin = 0; begin < width; begin += kPiece) {
    const std::int64_t n = std::min(kPiece, width - begin);
    std::fill(total, total + n, 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
      const T* row = dy + order[i] * width + begin;
      for (std::int64_t k = 0; k < n; ++k) total[k] += static_cast<double>(row[k]);
    }
    for (std::int64_t k = 0; k < n; ++k) out[begin + k] = static_cast<T>(total[k]);
  }
}

// Sizes of a shape seen as [outer, size, inner].
struct Middle {
  Middle(const Shape& shape, int axis)
      : outer(Shape(std::span<const std::int64_t>(shape.begin(), shape.begin() + axis))),
        size(shape[axis]),
        inner(Shape(std::span<const std::int64_t>(shape.begin() + axis + 1, shape.end()))) {}
  Shape outer;
  std::int64_t size;
  Shape inner;
};

}  // namespace

template <class T>
void take_along_axis(const ReductionPlan& from, const T* x, const ReductionPlan& at,
                     const std::int64_t* ids, const ReductionPlan& to, T* y) {
  const std::int64_t count = at.inner[0];
  for_each_slice<3>({&from, &at, &to}, [&](const Offsets<3>& begin) {
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t id = ids[begin[1] + j * at.inner_strides[0]];
      y[begin[2] + j * to.inner_strides[0]] = x[begin[0] + id * from.inner_strides[0]];
    }
  });
}

template <class T>
void take_along_axis_backward(const ReductionPlan& from, const T* dy, const ReductionPlan& at,
                              const std::int64_t* ids, const ReductionPlan& to, T* dx) {
  const std::int64_t count = at.inner[0];
  std::vector<double> total(static_cast<std::size_t>(to.inner[0]));
  for_each_slice<3>({&from, &at, &to}, [&](const Offsets<3>& begin) {
    std::fill(total.begin(), total.end(), 0.0);
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t id = ids[begin[1] + j * at.inner_strides[0]];
      total[static_cast<std::size_t>(id)] +=
          static_cast<double>(dy[begin[0] + j * from.inner_strides[0]]);
    }
    T* out = dx + begin[2];
    for (const double sum : total) {
      *out = static_cast<T>(sum);
      out += to.inner_strides[0];
    }
  });
}

template <class T>
void index_select(const Shape& shape, const Strides& strides, int axis, const T* x,
                  std::int64_t count, const std::int64_t* ids, T* y) {
  const Middle middle(shape, axis);
  const std::int64_t step = strides[static_cast<std::size_t>(axis)];
  Strides inner_strides{};
  std::copy(strides.begin() + axis + 1, strides.begin() + shape.ndim(), inner_strides.begin());
  for_each_row<1>(middle.outer, {&strides},
                  [&](const Offsets<1>& outer, std::int64_t blocks, const Offsets<1>& outer_step) {
                    for (std::int64_t o = 0; o < blocks; ++o) {
                      for (std::int64_t i = 0; i < count; ++i) {
                        const T* slice = x + outer[0] + o * outer_step[0] + ids[i] * step;
                        for_each_row<1>(
                            middle.inner, {&inner_strides},
                            [&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& by) {
                              const T* row = slice + at[0];
                              if (by[0] == 1) {
                                y = std::copy(row, row + n, y);
                              } else {
                                for (std::int64_t k = 0; k < n; ++k) *y++ = row[k * by[0]];
                              }
                            });
                      }
                    }
                  });
}

// Each slice of dx is summed on its own, so slices can be split over threads later on.
template <class T>
void index_select_backward(const Shape& shape, int axis, std::int64_t count,
                           const std::int64_t* ids, const T* dy, T* dx) {
  const Middle middle(shape, axis);
  const std::int64_t width = middle.inner.numel();
  const Buckets buckets(middle.size, count, ids);
  for (std::int64_t o = 0; o < middle.outer.numel(); ++o) {
    const T* upstream = dy + o * count * width;
    for (std::int64_t r = 0; r < middle.size; ++r, dx += width) {
      const std::int64_t begin = buckets.begin[static_cast<std::size_t>(r)];
      const std::int64_t end = buckets.begin[static_cast<std::size_t>(r + 1)];
      sum_rows(width, upstream, buckets.order.data() + begin, end - begin, dx);
    }
  }
}

template <class T>
void one_hot(std::int64_t count, const std::int64_t* ids, std::int64_t classes, T* y) {
  std::fill(y, y + count * classes, T{});
  for (std::int64_t i = 0; i < count; ++i) y[i * classes + ids[i]] = T{1};
}

using Int = std::int64_t;
using Plan = ReductionPlan;
template void take_along_axis(const Plan&, const float*, const Plan&, const Int*, const Plan&,
                              float*);
template void take_along_axis(const Plan&, const double*, const Plan&, const Int*, const Plan&,
                              double*);
template void take_along_axis(const Plan&, const Int*, const Plan&, const Int*, const Plan&, Int*);
template void take_along_axis(const Plan&, const bool*, const Plan&, const Int*, const Plan&,
                              bool*);
template void take_along_axis_backward(const Plan&, const float*, const Plan&, const Int*,
                                       const Plan&, float*);
template void take_along_axis_backward(const Plan&, const double*, const Plan&, const Int*,
                                       const Plan&, double*);
template void index_select(const Shape&, const Strides&, int, const float*, Int, const Int*,
                           float*);
template void index_select(const Shape&, const Strides&, int, const double*, Int, const Int*,
                           double*);
template void index_select(const Shape&, const Strides&, int, const Int*, Int, const Int*, Int*);
template void index_select(const Shape&, const Strides&, int, const bool*, Int, const Int*, bool*);
template void index_select_backward(const Shape&, int, Int, const Int*, const float*, float*);
template void index_select_backward(const Shape&, int, Int, const Int*, const double*, double*);
template void one_hot(Int, const Int*, Int, float*);
template void one_hot(Int, const Int*, Int, double*);
template void one_hot(Int, const Int*, Int, Int*);
template void one_hot(Int, const Int*, Int, bool*);

}  // namespace gradwalk::kernels
