#include "nn/tokenizer/unicode.h"

#include <algorithm>
#include <span>

#include "nn/files/utf8.h"
#include "nn/tokenizer/unicode_tables.h"

namespace gradwalk::nn {
namespace {

bool contains(std::span<const CodeRange> ranges, char32_t c) {
  const auto next =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t x, const CodeRange& range) { return x < range.first; });
  return next != ranges.begin() && c <= std::prev(next)->last;
}

bool is_ascii_alphanumeric(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Hangul syllables decompose by arithmetic (Unicode 14, section 3.12).
constexpr char32_t kFirstSyllable = 0xAC00, kLastSyllable = 0xD7A3;

void append_jamo(std::string& text, char32_t syllable) {
  constexpr char32_t kVowels = 21, kTrails = 28;
  const char32_t index = syllable - kFirstSyllable;
  append_utf8(text, 0x1100 + index / (kVowels * kTrails));
  append_utf8(text, 0x1161 + index / kTrails % kVowels);
  if (index % kTrails != 0) append_utf8(text, 0x11A7 + index % kTrails);
}

}  // namespace

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_word(char32_t c) {
  return c < 0x80 ? is_ascii_alphanumeric(c) || c == '_' : contains(unicode_word(), c);
}

bool is_punctuation(char32_t c) {
  return c < 0x80 ? c > ' ' && c < 0x7F && !is_ascii_alphanumeric(c)
                  : contains(unicode_punctuation(), c);
}

bool is_control(char32_t c) {
  return c < 0x80 ? c < ' ' || c == 0x7F : contains(unicode_control(), c);
}

bool is_nonspacing_mark(char32_t c) {
  return c >= 0x300 && contains(unicode_nonspacing_marks(), c);
}

bool is_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

void append_lower(std::string& text, char32_t c) {
  if (c == 0x130) {
    append_utf8(text, 'i');
    return append_utf8(text, 0x307);
  }
  const std::span<const LowerRun> runs = unicode_lower();
  const auto next = std::upper_bound(runs.begin(), runs.end(), c,
                                     [](char32_t x, const LowerRun& run) { return x < run.first; });
  if (next != runs.begin()) {
    const LowerRun& run = *std::prev(next);
    if (c <= run.last && (c - run.first) % run.step == 0) {
      c = static_cast<char32_t>(static_cast<std::int32_t>(c) + run.offset);
    }
  }
  append_utf8(text, c);
}

void append_without_accents(std::string& text, char32_t c) {
  if (c < 0x80) return append_utf8(text, c);
  if (is_nonspacing_mark(c)) return;
  if (c >= kFirstSyllable && c <= kLastSyllable) return append_jamo(text, c);
  const std::span<const Unaccented> table = unicode_unaccented();
  const auto found =
      std::lower_bound(table.begin(), table.end(), c,
                       [](const Unaccented& entry, char32_t x) { return entry.from < x; });
  if (found == table.end() || found->from != c) return append_utf8(text, c);
  for (const char32_t part : found->to) {
    if (part != 0) append_utf8(text, part);
  }
}

}  // namespace gradwalk::nn
