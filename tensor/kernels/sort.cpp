#include "tensor/kernels/sort.h"

#include <algorithm>
#include <vector>

namespace gradwalk::kernels {
namespace {

template <class T>
struct Entry {
  T value;
  std::int64_t index;
};

// NaN equals itself here and is larger than all else, so that this is an order for std::sort.
template <class T>
bool less(T a, T b) {
  return a < b || (b != b && a == a);
}

// Ties go by place: with that no two entries are equal, so every sorting algorithm is stable.
template <class T>
bool ascends(const Entry<T>& a, const Entry<T>& b) {
  if (less(a.value, b.value)) return true;
  return !less(b.value, a.value) && a.index < b.index;
}
template <class T>
bool descends(const Entry<T>& a, const Entry<T>& b) {
  if (less(b.value, a.value)) return true;
  return !less(a.value, b.value) && a.index < b.index;
}

template <class T, class Order>
void sort_slices(const ReductionPlan& from, const T* x, const ReductionPlan& to, T* values,
                 std::int64_t* indices, Order order) {
  const std::int64_t kept = to.inner[0];
  std::vector<Entry<T>> entries(static_cast<std::size_t>(from.inner[0]));
  for_each_slice<2>({&from, &to}, [&](const Offsets<2>& at) {
    std::int64_t i = 0;
    for_each_element(from, x + at[0], [&](T value) {
      entries[static_cast<std::size_t>(i)] = {value, i};
      ++i;
    });
    if (kept == i) {
      std::sort(entries.begin(), entries.end(), order);
    } else {
      std::partial_sort(entries.begin(), entries.begin() + kept, entries.end(), order);
    }
    std::int64_t out = at[1];
    for (i = 0; i < kept; ++i, out += to.inner_strides[0]) {
      values[out] = entries[static_cast<std::size_t>(i)].value;
      indices[out] = entries[static_cast<std::size_t>(i)].index;
    }
  });
}

}  // namespace

template <class T>
void sort(const ReductionPlan& from, const T* x, bool descending, const ReductionPlan& to,
          T* values, std::int64_t* indices) {
  // Lambdas and not the functions themselves, which would be called through a pointer.
  if (descending) {
    sort_slices(from, x, to, values, indices,
                [](const Entry<T>& a, const Entry<T>& b) { return descends(a, b); });
  } else {
    sort_slices(from, x, to, values, indices,
                [](const Entry<T>& a, const Entry<T>& b) { return ascends(a, b); });
  }
}

using Int = std::int64_t;
template void sort(const ReductionPlan&, const float*, bool, const ReductionPlan&, float*, Int*);
template void sort(const ReductionPlan&, const double*, bool, const ReductionPlan&, double*, Int*);
template void sort(const ReductionPlan&, const Int*, bool, const ReductionPlan&, Int*, Int*);

}  // namespace gradwalk::kernels
