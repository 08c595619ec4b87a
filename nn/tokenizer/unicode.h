#pragma once

#include <string>

namespace gradwalk::nn {

/// What tokenizers ask about characters, by Unicode 14.

bool is_space(char32_t c);  ///< White_Space
/// A letter, mark, decimal digit or connector: \w of regular expressions (Unicode TR 18, annex C).
bool is_word(char32_t c);
/// Punctuation as BERT sees it: categories P*, and the ASCII symbols such as $ and +.
bool is_punctuation(char32_t c);
bool is_control(char32_t c);          ///< categories Cc, Cf and Co; tab and line ends among them
bool is_nonspacing_mark(char32_t c);  ///< category Mn, such as a combining accent
/// A CJK ideograph, in the blocks that BERT counts; neither kana nor hangul.
bool is_ideograph(char32_t c);

/// Appends the character's lower case (two characters for U+0130).
void append_lower(std::string& text, char32_t c);
/// Appends the character's canonical decomposition without nonspacing marks: e for é, nothing for a
/// mark alone.
void append_without_accents(std::string& text, char32_t c);

}  // namespace gradwalk::nn
