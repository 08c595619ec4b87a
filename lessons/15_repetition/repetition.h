#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.h"

/// Does a text repeat itself, and where does a map from word to word lead?
namespace gradwalk::lesson_15 {

/// Share of the `length` words in a row that stood in the same text before, one number a text.
/// @param texts  int64 [N, W] with W >= length
/// @throws std::invalid_argument for shorter texts
std::vector<double> repeated_share(const Tensor& texts, std::int64_t length = 4);

/// Share of the texts that from word `first` to their end repeat the same at most `longest` words.
/// @throws std::invalid_argument unless 0 <= first and first + 2 longest <= W: a loop must be seen
/// twice
double share_in_loop(const Tensor& texts, std::int64_t first, std::int64_t longest);

/// A cycle of a map from ids to ids, and how many ids end up in it, its own included.
struct Cycle {
  std::vector<std::int64_t> ids;  ///< in order, from the smallest
  std::int64_t basin = 0;
};
/// All of them, those with the largest basin first. @param next  next[id], each in [0, size)
std::vector<Cycle> cycles_of(const std::vector<std::int64_t>& next);

}  // namespace gradwalk::lesson_15
