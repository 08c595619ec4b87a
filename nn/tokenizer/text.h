#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gradwalk::nn {

/// What happens to a text before it is cut into tokens. Bytes that are not UTF-8 count as U+FFFD.

/// Puts a text before the text, unless that is empty.
struct Prepend {
  std::string text;
};

/// Each occurrence of `from`, which is not empty, becomes `to`.
struct Replace {
  std::string from, to;
};

/// The clean-up of BERT (Devlin et al. 2019, the code beside it): each part that is on, in this
/// order.
struct BertNormalizer {
  /// Drop control characters, U+0000 and U+FFFD; every white space is a space.
  bool clean_text = true;
  bool ideographs = true;     ///< a space on either side of each CJK ideograph
  bool strip_accents = true;  ///< decompose, and drop the nonspacing marks
  bool lower_case = true;
};

using Normalizer = std::variant<Prepend, Replace, BertNormalizer>;

std::string normalize(const std::vector<Normalizer>& steps, std::string_view text);
std::string replaced(const Replace& replace, std::string_view text);

/// How a text is cut into pieces that no token spans.
enum class PreTokenizer {
  kNone,  ///< one piece
  /// At white space, which goes, and where word characters (letters, digits, marks, _) meet others.
  kWhitespace,
  kBert,  ///< at white space, which goes, and each punctuation mark is a piece
};

std::vector<std::string_view> pre_tokenize(PreTokenizer kind, std::string_view text);

}  // namespace gradwalk::nn
