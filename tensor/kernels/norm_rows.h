#pragma once

// What the two normalisations share: the learned numbers of each feature, and sums over rows.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd_rows.h"

namespace gradwalk::kernels {

/// One number a feature in float64, `otherwise` for each where there is none: so the loops over a
/// row, which read them again and again, neither convert them nor have a case for it.
template <class T>
Scratch<double> features(const T* given, std::int64_t width, double otherwise) {
  Scratch<double> result(width);
  double* each = result.data();
  for (std::int64_t i = 0; i < width; ++i) {
    each[i] = given ? static_cast<double>(given[i]) : otherwise;
  }
  return result;
}

template <class Part>
HWY_INLINE void add_to(double* sum, hn::Vec<simd::Wide> v, Part part) {
  simd::store(hn::Add(simd::load(simd::Wide(), sum, part), v), simd::Wide(), sum, part);
}

/// The numbers of each feature as they are, or `otherwise` in their place where there are none.
template <class T>
class Features {
 public:
  Features(const T* given, std::int64_t width, T otherwise) : data_(given) {
    if (given) return;
    T* each = standing_in_.emplace(width).data();
    std::fill(each, each + width, otherwise);
    data_ = each;
  }
  const T* data() const { return data_; }

 private:
  std::optional<Scratch<T>> standing_in_;
  const T* data_;
};

/// Whether a row with this factor can be written in float32 lanes: neither the factor nor what it
/// is multiplied with, sqrt(width) / factor at most, leaves their range.
template <class T>
bool fits_lanes(double factor) {
  return sizeof(T) == sizeof(float) && factor > 0x1p-60 && factor < 0x1p60;
}

/// Sums of rows, one result a feature: some(first, last, sums) adds these rows to `into.size()`
/// rows of float64 sums that lie behind each other. The rows are cut into at most 16 chunks that
/// depend on their number alone; each is one sum, by one thread, and the chunks are added up in
/// order: so the bits do not depend on the number of threads.
template <class T, class Rows>
void sum_over_rows(std::int64_t rows, std::int64_t width, std::span<T* const> into, Rows some) {
  constexpr std::int64_t kMostChunks = 16;
  constexpr std::int64_t kFewestRows = 32;  // a chunk: below, adding the chunks up would count
  const std::int64_t chunk = std::max(kFewestRows, (rows + kMostChunks - 1) / kMostChunks);
  const std::int64_t chunks = std::max<std::int64_t>(1, (rows + chunk - 1) / chunk);
  const auto size = static_cast<std::int64_t>(into.size()) * width;
  Scratch<double> sums(chunks * size);
  parallel_for(chunks, rows * width, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      double* own = sums.data() + c * size;
      std::fill(own, own + size, 0.0);
      some(c * chunk, std::min(rows, (c + 1) * chunk), own);
    }
  });
  for (std::int64_t c = 1; c < chunks; ++c) {
    for (std::int64_t i = 0; i < size; ++i) sums[i] += sums[c * size + i];
  }
  for (std::size_t k = 0; k < into.size(); ++k) {
    const double* total = sums.data() + static_cast<std::int64_t>(k) * width;
    for (std::int64_t i = 0; i < width; ++i) into[k][i] = static_cast<T>(total[i]);
  }
}

}  // namespace gradwalk::kernels
