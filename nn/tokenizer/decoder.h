#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/tokenizer/text.h"

namespace gradwalk::nn {

/// How tokens become text again.
struct Decoder {
  /// When a character is taken away at the start.
  enum class Strip { kNever, kAtStart, kAfterBos };

  std::vector<Replace> replacements;  ///< in each token, in this order
  bool byte_fallback = false;         ///< the token <0x0A> is the byte 10
  std::string separator;              ///< stands before each token but the first
  /// If not empty: a token that begins with it follows without it and without separator.
  std::string continuation;
  /// Undo the space before . ? ! , and English contractions, as BERT's decoder does.
  bool clean_up = false;

  Strip strip = Strip::kNever;
  std::string stripped;         ///< the character that is taken away,
  std::size_t strip_count = 0;  ///< at most so many times

  /// The bytes of one token in the text. `first`: no other came before it.
  std::string piece(std::string_view token, bool first) const;
};

}  // namespace gradwalk::nn
