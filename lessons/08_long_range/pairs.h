#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace gradwalk::lesson_08 {

/// What queries, keys and values [n, d] of N(0, 1) numbers cost and give: each query with each key,
/// in two ways that compute the same.
struct Heads {
  Tensor query;  ///< [m, d]
  Tensor key;    ///< [n, d]
  Tensor value;  ///< [n, d]
};
Heads draw_heads(std::int64_t queries, std::int64_t keys, std::int64_t width, std::uint64_t seed);

/// Every pair by hand: two loops around a sum over d for the scores, then the same for the answers.
struct Scan {
  Tensor answers;                  ///< [m, d]
  std::int64_t multiply_adds = 0;  ///< as they happen, one by one
};
Scan scan(const Heads& heads);

/// As two matrix products, in one op (autograd/attention.h).
/// @param window  0, or only so many keys, the last ones, are compared
Tensor at_once(const Heads& heads, std::int64_t window = 0);

/// Multiply-adds that at_once makes, counted from the operands of its op.
std::int64_t count_at_once(const Heads& heads, std::int64_t window = 0);

/// Multiply-adds of an RNN that reads n words of the same width, counted likewise.
std::int64_t count_rnn(std::int64_t length, std::int64_t width, std::uint64_t seed);

/// Medians in ms.
double time_at_once(const Heads& heads, std::int64_t window = 0);
double time_rnn(std::int64_t length, std::int64_t width, std::uint64_t seed);
double time_scan(const Heads& heads);

}  // namespace gradwalk::lesson_08
