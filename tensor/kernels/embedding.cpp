#include "tensor/kernels/embedding.h"

#include <algorithm>
#include <span>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"

namespace gradwalk::kernels {
namespace {

// The places of each id, in order, by a counting sort: so each row of the gradient is one sum that
// stands by itself.
class Places {
 public:
  explicit Places(const Lookup& lookup)
      : begin_(lookup.rows + 1), next_(lookup.rows), places_(lookup.count) {
    std::int64_t* begin = begin_.data();
    std::fill(begin, begin + lookup.rows + 1, std::int64_t{0});
    for (std::int64_t i = 0; i < lookup.count; ++i) ++begin[lookup.ids[i] + 1];
    for (std::int64_t row = 0; row < lookup.rows; ++row) begin[row + 1] += begin[row];
    std::copy(begin, begin + lookup.rows, next_.data());
    for (std::int64_t i = 0; i < lookup.count; ++i) places_[next_[lookup.ids[i]]++] = i;
  }
  std::span<const std::int64_t> of(std::int64_t row) {
    return {places_.data() + begin_[row], places_.data() + begin_[row + 1]};
  }

 private:
  Scratch<std::int64_t> begin_, next_, places_;
};

// Nanoseconds an element, which come from memory.
constexpr double kWork = 0.5;

std::int64_t work(std::int64_t rows, std::int64_t width) {
  return static_cast<std::int64_t>(kWork * static_cast<double>(rows) * static_cast<double>(width));
}

}  // namespace

template <class T>
void embedding(const Lookup& lookup, const Table<T>& weight, T* y) {
  const auto some = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const T* row = weight.data + lookup.ids[i] * weight.row_stride;
      T* out = y + i * lookup.width;
      if (weight.column_stride == 1) {
        std::copy(row, row + lookup.width, out);
      } else {
        for (std::int64_t j = 0; j < lookup.width; ++j) out[j] = row[j * weight.column_stride];
      }
    }
  };
  parallel_for(lookup.count, work(lookup.count, lookup.width), 1, some);
}

// Threads split the rows of the table, not the places: each row is one sum in the places' order.
template <class T>
void embedding_backward(const Lookup& lookup, const T* dy, T* dweight) {
  const std::int64_t width = lookup.width;
  Places all(lookup);
  const auto some = [&](std::int64_t first, std::int64_t last) {
    Scratch<double> total(width);
    for (std::int64_t row = first; row < last; ++row) {
      const std::span<const std::int64_t> places = all.of(row);
      T* out = dweight + row * width;
      if (places.empty()) {
        std::fill(out, out + width, T{});
      } else if (places.size() == 1) {
        std::copy(dy + places[0] * width, dy + (places[0] + 1) * width, out);
      } else {
        double* sum = total.data();
        std::fill(sum, sum + width, 0.0);
        for (const std::int64_t place : places) {
          const T* part = dy + place * width;
          for (std::int64_t j = 0; j < width; ++j) sum[j] += static_cast<double>(part[j]);
        }
        for (std::int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(sum[j]);
      }
    }
  };
  parallel_for(lookup.rows, work(lookup.rows + lookup.count, width), 1, some);
}

template void embedding(const Lookup&, const Table<float>&, float*);
template void embedding(const Lookup&, const Table<double>&, double*);
template void embedding_backward(const Lookup&, const float*, float*);
template void embedding_backward(const Lookup&, const double*, double*);

}  // namespace gradwalk::kernels
