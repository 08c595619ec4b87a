#include "tensor/kernels/embedding.h"

#include <algorithm>
#include <vector>

namespace gradwalk::kernels {
namespace {

// The places of each id, in order: those of row n are places[begin[n]], ..., places[begin[n + 1] -
// 1] (a counting sort). So each row of the gradient is one sum that stands by itself.
struct Places {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> places;
};

Places sorted(const Lookup& lookup) {
  Places result;
  result.begin.assign(static_cast<std::size_t>(lookup.rows + 1), 0);
  result.places.resize(static_cast<std::size_t>(lookup.count));
  std::int64_t* begin = result.begin.data();
  for (std::int64_t i = 0; i < lookup.count; ++i) ++begin[lookup.ids[i] + 1];
  for (std::int64_t row = 0; row < lookup.rows; ++row) begin[row + 1] += begin[row];
  std::vector<std::int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::int64_t i = 0; i < lookup.count; ++i) {
    result.places[static_cast<std::size_t>(next[static_cast<std::size_t>(lookup.ids[i])]++)] = i;
  }
  return result;
}

}  // namespace

template <class T>
void embedding(const Lookup& lookup, const Table<T>& weight, T* y) {
  for (std::int64_t i = 0; i < lookup.count; ++i, y += lookup.width) {
    const T* row = weight.data + lookup.ids[i] * weight.row_stride;
    if (weight.column_stride == 1) {
      std::copy(row, row + lookup.width, y);
    } else {
      for (std::int64_t j = 0; j < lookup.width; ++j) y[j] = row[j * weight.column_stride];
    }
  }
}

template <class T>
void embedding_backward(const Lookup& lookup, const T* dy, T* dweight) {
  const Places all = sorted(lookup);
  std::vector<double> totals(static_cast<std::size_t>(lookup.width));
  double* total = totals.data();
  for (std::int64_t row = 0; row < lookup.rows; ++row, dweight += lookup.width) {
    const std::int64_t* place = all.places.data() + all.begin[static_cast<std::size_t>(row)];
    const std::int64_t* end = all.places.data() + all.begin[static_cast<std::size_t>(row) + 1];
    if (place == end) {
      std::fill(dweight, dweight + lookup.width, T{});
    } else if (end - place == 1) {
      std::copy(dy + *place * lookup.width, dy + (*place + 1) * lookup.width, dweight);
    } else {
      std::fill(totals.begin(), totals.end(), 0.0);
      for (; place != end; ++place) {
        const T* part = dy + *place * lookup.width;
        for (std::int64_t j = 0; j < lookup.width; ++j) total[j] += static_cast<double>(part[j]);
      }
      for (std::int64_t j = 0; j < lookup.width; ++j) dweight[j] = static_cast<T>(total[j]);
    }
  }
}

template void embedding(const Lookup&, const Table<float>&, float*);
template void embedding(const Lookup&, const Table<double>&, double*);
template void embedding_backward(const Lookup&, const float*, float*);
template void embedding_backward(const Lookup&, const double*, double*);

}  // namespace gradwalk::kernels
