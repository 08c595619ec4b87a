#pragma once

#include <cstdint>
#include <optional>

namespace gradwalk::kernels {

/// Contiguous rows of `classes` >= 1 logits, and what they are held against.
template <class T>
struct ClassRows {
  std::int64_t rows;
  std::int64_t classes;
  const T* x;
  const std::int64_t* targets;
  std::optional<std::int64_t> ignored;  ///< targets that do not count
  double smoothing;                     ///< in [0, 1]
};

/// The sum over the rows that count. float, double.
template <class T>
double cross_entropy(const ClassRows<T>& in);
/// The same, and on the way dx_bj = share * (softmax(x_b)_j - q_bj); zeros in rows that are ignored
/// or all -inf.
template <class T>
double cross_entropy_with_gradient(const ClassRows<T>& in, double share, T* dx);

}  // namespace gradwalk::kernels
