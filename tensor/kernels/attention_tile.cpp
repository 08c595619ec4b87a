#include "tensor/kernels/attention_tile.h"

#include "tensor/kernels/simd_rows.h"

namespace gradwalk::kernels {
namespace {

// x times 0 is 0 unless x is infinite or NaN, and such a NaN stays in a sum.
template <class T>
bool is_finite(const T* x, std::int64_t count) {
  const hn::ScalableTag<T> d;
  const auto zero = hn::Zero(d);
  auto a = zero, b = zero;
  std::int64_t i = 0;
  for (; i + 2 * kLanes<T> <= count; i += 2 * kLanes<T>) {
    a = hn::MulAdd(hn::LoadU(d, x + i), zero, a);
    b = hn::MulAdd(hn::LoadU(d, x + i + kLanes<T>), zero, b);
  }
  for (; i < count; i += kLanes<T>) a = hn::MulAdd(hn::LoadU(d, x + i), zero, a);
  return hn::AllTrue(d, hn::Eq(hn::Add(a, b), zero));
}

// What the masks of the options make of the scores of query i and the keys begin, ...
template <class T>
void mask_row(const AttentionHeads<T>& heads, const StripAt& at, std::int64_t i, std::int64_t begin,
              std::int64_t count, T* scores) {
  if (heads.added.data) {
    const T* added = heads.added.at(at.batch, at.head, i) + begin * heads.added.column;
    constexpr T kLog2e = std::numbers::log2e_v<T>;
    constexpr T kLargest = std::numeric_limits<T>::max();
    for (std::int64_t j = 0; j < count; ++j) {
      const T nats = added[j * heads.added.column];
      // The largest numbers stand for "hidden unless there is nothing else" and stay finite.
      T bits = nats * kLog2e;
      if (std::abs(bits) > kLargest && std::abs(nats) <= kLargest) bits = nats;
      scores[j] = nats == kHidden<T> ? kHidden<T> : scores[j] + bits;
    }
  }
  if (heads.padding) {
    const bool* seen = heads.padding + at.batch * heads.padding_batch + begin * heads.padding_step;
    for (std::int64_t j = 0; j < count; ++j) {
      scores[j] = seen[j * heads.padding_step] ? scores[j] : kHidden<T>;
    }
  }
}

}  // namespace

template <class T>
void Panels<T>::copy(MatrixView<T> from, std::int64_t rows, std::int64_t columns) {
  data_ = memory_;
  row_step_ = width_;
  panel_step_ = rows * width_;
  for (std::int64_t first = 0; first < columns; first += width_) {
    T* panel = memory_ + first * rows;
    const std::int64_t there = std::min<std::int64_t>(width_, columns - first);
    if (there < width_) std::fill(panel, panel + panel_step_, T{});
    pack(from.from(0, first), rows, there, panel, width_);
  }
}

template <class T>
bool Panels<T>::read_finite(MatrixView<T> from, std::int64_t rows, std::int64_t columns, T* odd) {
  const bool fits =
      from.column_stride == 1 && from.row_stride == columns && columns % kLanes<T> == 0;
  if (fits && is_finite(from.data, rows * columns)) {
    data_ = from.data;
    row_step_ = columns;
    panel_step_ = width_;
    return false;
  }
  copy(from, rows, columns);
  const std::int64_t numbers = size(rows, columns, width_);
  if (is_finite(memory_, numbers)) return false;
  for (std::int64_t row = 0; row < rows; ++row) {
    bool finite = true;
    for (T* part = memory_ + row * width_; part < memory_ + numbers; part += panel_step_) {
      finite = finite && is_finite(part, width_);
    }
    odd[row] = finite ? T{0} : T{1};
    for (T* part = memory_ + row * width_; !finite && part < memory_ + numbers;
         part += panel_step_) {
      std::fill(part, part + width_, T{});
    }
  }
  return true;
}

template <class T>
void scale_queries(const AttentionHeads<T>& heads, MatrixView<T> query, std::int64_t rows, T* out) {
  const hn::ScalableTag<T> d;
  const auto factor = static_cast<T>(heads.scale * std::numbers::log2e);
  for (std::int64_t i = 0; i < rows; ++i, out += heads.head_dim) {
    const T* from = query.at(i, 0);
    if (query.column_stride == 1) {
      simd::for_each_vector(d, heads.head_dim, [&](std::int64_t c, auto part) {
        const auto x = simd::load(d, from + c, part);
        simd::store(hn::Mul(x, hn::Set(d, factor)), d, out + c, part);
      });
    } else {
      for (std::int64_t c = 0; c < heads.head_dim; ++c) {
        out[c] = factor * from[c * query.column_stride];
      }
    }
  }
}

template <class T>
void strip_scores(const AttentionHeads<T>& heads, const StripAt& at, const T* queries,
                  const Panels<T>& keys, std::int64_t keys_from, std::int64_t begin,
                  std::int64_t end, T* scores, std::int64_t row) {
  const MatrixView<T> strip{queries, heads.head_dim, 1};
  multiply<T>(strip, at.rows, keys.from((begin - keys_from) / keys.width()), 0, heads.head_dim,
              whole_vectors<T>(end - begin), /*add=*/false, scores, row);
  mask_scores(heads, at, begin, end, scores, row);
}

template <class T>
void mask_scores(const AttentionHeads<T>& heads, const StripAt& at, std::int64_t begin,
                 std::int64_t end, T* scores, std::int64_t row) {
  if (!heads.added.data && !heads.padding) return;
  for (std::int64_t r = 0; r < at.rows; ++r) {
    const std::int64_t visible = std::min(end, heads.visible_end(at.query + r));
    mask_row(heads, at, at.query + r, begin, visible - begin, scores + r * row);
  }
}

template class Panels<float>;
template class Panels<double>;
template void scale_queries(const AttentionHeads<float>&, MatrixView<float>, std::int64_t, float*);
template void scale_queries(const AttentionHeads<double>&, MatrixView<double>, std::int64_t,
                            double*);
template void strip_scores(const AttentionHeads<float>&, const StripAt&, const float*,
                           const Panels<float>&, std::int64_t, std::int64_t, std::int64_t, float*,
                           std::int64_t);
template void strip_scores(const AttentionHeads<double>&, const StripAt&, const double*,
                           const Panels<double>&, std::int64_t, std::int64_t, std::int64_t, double*,
                           std::int64_t);
template void mask_scores(const AttentionHeads<float>&, const StripAt&, std::int64_t, std::int64_t,
                          float*, std::int64_t);
template void mask_scores(const AttentionHeads<double>&, const StripAt&, std::int64_t, std::int64_t,
                          double*, std::int64_t);

}  // namespace gradwalk::kernels
