#include "nn/tokenizer/text.h"

#include "nn/files/utf8.h"
#include "nn/tokenizer/unicode.h"

namespace gradwalk::nn {
namespace {

// The text with each character given to append(result, character).
template <class Append>
std::string map_characters(std::string_view text, Append append) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text, i);
    append(result, step.code);
    i += step.length;
  }
  return result;
}

void append_clean(std::string& text, char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') {
    text.push_back(' ');
  } else if (c != 0 && c != kReplacementCharacter && !is_control(c)) {
    append_utf8(text, is_space(c) ? U' ' : c);
  }
}

void append_apart(std::string& text, char32_t c) {
  const bool apart = is_ideograph(c);
  if (apart) text.push_back(' ');
  append_utf8(text, c);
  if (apart) text.push_back(' ');
}

struct Normalize {
  std::string_view text;

  std::string operator()(const Prepend& step) const {
    return text.empty() ? "" : step.text + std::string(text);
  }
  std::string operator()(const Replace& step) const { return replaced(step, text); }
  std::string operator()(const BertNormalizer& step) const {
    std::string result(text);
    if (step.clean_text) result = map_characters(result, append_clean);
    if (step.ideographs) result = map_characters(result, append_apart);
    if (step.strip_accents) result = map_characters(result, append_without_accents);
    if (step.lower_case) result = map_characters(result, append_lower);
    return result;
  }
};

// Characters of one kind make a piece together, those of kAlone each for themselves; spaces make
// none.
enum class Kind { kSpace, kWord, kOther, kAlone };

Kind kind_of(PreTokenizer pre_tokenizer, char32_t c) {
  if (is_space(c)) return Kind::kSpace;
  if (pre_tokenizer == PreTokenizer::kBert) return is_punctuation(c) ? Kind::kAlone : Kind::kWord;
  return is_word(c) ? Kind::kWord : Kind::kOther;
}

}  // namespace

std::string replaced(const Replace& replace, std::string_view text) {
  std::string result;
  result.reserve(text.size());
  std::size_t begin = 0;
  for (std::size_t found; (found = text.find(replace.from, begin)) != std::string_view::npos;) {
    result += text.substr(begin, found - begin);
    result += replace.to;
    begin = found + replace.from.size();
  }
  return result += text.substr(begin);
}

std::string normalize(const std::vector<Normalizer>& steps, std::string_view text) {
  std::string result(text);
  for (const Normalizer& step : steps) result = std::visit(Normalize{result}, step);
  return result;
}

std::vector<std::string_view> pre_tokenize(PreTokenizer kind, std::string_view text) {
  if (kind == PreTokenizer::kNone)
    return text.empty() ? std::vector<std::string_view>{} : std::vector{text};
  std::vector<std::string_view> pieces;
  Kind last = Kind::kSpace;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text, i);
    const Kind now = kind_of(kind, step.code);
    if (now != Kind::kSpace) {
      const bool goes_on = now == last && now != Kind::kAlone;
      const std::size_t begin =
          goes_on ? static_cast<std::size_t>(pieces.back().data() - text.data()) : i;
      if (goes_on) pieces.pop_back();
      pieces.push_back(text.substr(begin, i + step.length - begin));
    }
    last = now;
    i += step.length;
  }
  return pieces;
}

}  // namespace gradwalk::nn
