#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// The rows of a matrix in place: neighbours within a row, a stride between rows.
template <class T>
struct Rows {
  const T* data;
  std::int64_t stride;

  const T* operator[](std::int64_t row) const { return data + row * stride; }
};

/// One query head beside the key/value head that it uses.
template <class T>
struct AttentionHead {
  std::int64_t queries, keys, head_dim, value_dim;
  double scale;
  Rows<T> query, key, value;

  bool causal;  ///< query i sees j <= i + keys - queries
  /// Whether a key may be seen, or null.
  const bool* padding = nullptr;
  std::int64_t padding_step = 0;
  /// What is added to the score of query i and key j, at i * added_row + j * added_step, or null.
  const T* added = nullptr;
  std::int64_t added_row = 0, added_step = 0;
};

/// @param y        [queries, value_dim], contiguous, overwritten
/// @param log_sum  [queries], overwritten
template <class T>
void attention(const AttentionHead<T>& head, T* y, double* log_sum);

/// @param y, log_sum     what `attention` wrote
/// @param dquery         [queries, head_dim], contiguous, overwritten
/// @param dkey, dvalue   [keys, head_dim] and [keys, value_dim], contiguous, added to: heads that
///                       share them come one after the other
template <class T>
void attention_backward(const AttentionHead<T>& head, const T* y, const double* log_sum, Rows<T> dy,
                        T* dquery, double* dkey, double* dvalue);

}  // namespace gradwalk::kernels
