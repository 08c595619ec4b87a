#pragma once

#include <cstdint>
#include <span>

namespace gradwalk::nn {

/// Tables of Unicode 14, sorted by code point; written by unicode_tables.py.

struct CodeRange {
  char32_t first, last;
};
/// The lower case of first, first + step, ..., last lies `offset` further on.
struct LowerRun {
  char32_t first, last, step;
  std::int32_t offset;
};
/// What is left of a character without nonspacing marks; 0 for none.
struct Unaccented {
  char32_t from, to[3];
};

std::span<const CodeRange> unicode_word();
std::span<const CodeRange> unicode_punctuation();
std::span<const CodeRange> unicode_control();
std::span<const CodeRange> unicode_nonspacing_marks();
std::span<const LowerRun> unicode_lower();
std::span<const Unaccented> unicode_unaccented();

}  // namespace gradwalk::nn
