#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gradwalk::nn {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// One step through a text that should be UTF-8.
struct Utf8Step {
  char32_t code = kReplacementCharacter;  ///< the code point; U+FFFD for a byte of none
  std::size_t length = 1;                 ///< bytes that the step takes
  bool valid = false;
  bool cut = false;  ///< not valid, but the text ends where the character could still go on
};

/// The character at `position` (< text.size()). Overlong forms, surrogates and numbers past
/// U+10FFFF are no characters; then the step takes one byte.
/// Source  The Unicode Standard 15, table 3-7
Utf8Step utf8_step(std::string_view text, std::size_t position);

/// Where the first byte stands that is no part of a character; none if all are.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code);

/// A character's number as people write it: U+0041.
std::string code_point_name(char32_t code);

}  // namespace gradwalk::nn
