#include "nn/tokenizer/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/tokenizer/unicode.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Normalize, PrependsToTextOnly) {
  EXPECT_EQ(normalize({Prepend{"_"}}, "a b"), "_a b");
  EXPECT_EQ(normalize({Prepend{"_"}}, ""), "");
}

TEST(Normalize, ReplacesFromLeftToRightAndOnce) {
  EXPECT_EQ(normalize({Replace{"aa", "a"}}, "aaaaa"), "aaa");
  EXPECT_EQ(normalize({Replace{" ", "\xE2\x96\x81"}}, " a  b"),
            "\xE2\x96\x81"
            "a\xE2\x96\x81\xE2\x96\x81"
            "b");
  EXPECT_EQ(normalize({Prepend{" "}, Replace{" ", "_"}}, "a b"), "_a_b")
      << "the steps in their order";
}

TEST(Normalize, BertCleansText) {
  const BertNormalizer clean{
      .clean_text = true, .ideographs = false, .strip_accents = false, .lower_case = false};
  EXPECT_EQ(normalize({clean}, std::string("a\0b\tc\r\nd\x01"
                                           "e",
                                           10)),
            "ab c  de");
  EXPECT_EQ(normalize({clean}, "a\u00A0b\u3000c\u200Bd\uFEFFe\uFFFDf"), "a b cdef")
      << "U+200B and U+FEFF are formats";
  EXPECT_EQ(normalize({clean},
                      "a\xFF"
                      "b\xE9\x9D"),
            "ab")
      << "bytes that are no UTF-8 count as U+FFFD";
}

TEST(Normalize, BertPutsSpacesAroundIdeographsOnly) {
  const BertNormalizer apart{
      .clean_text = false, .ideographs = true, .strip_accents = false, .lower_case = false};
  EXPECT_EQ(normalize({apart}, "a静夜b"), "a 静  夜 b");
  EXPECT_EQ(normalize({apart}, "ひカ한"), "ひカ한");
}

TEST(Normalize, BertStripsAccentsByDecomposition) {
  const BertNormalizer strip{
      .clean_text = false, .ideographs = false, .strip_accents = true, .lower_case = false};
  EXPECT_EQ(normalize({strip}, "Café nai\u0308ve Ǻ ệ ß ø"), "Cafe naive A e ß ø")
      << "ß and ø have no decomposition";
  EXPECT_EQ(normalize({strip}, "한"), "\u1112\u1161\u11AB");
  EXPECT_EQ(normalize({strip}, "가"), "\u1100\u1161") << "a syllable without a trailing consonant";
  EXPECT_EQ(normalize({strip}, "\u0301"), "");
  EXPECT_EQ(normalize({strip}, "\uF900"), "豈") << "a compatibility ideograph is another spelling";
  EXPECT_EQ(normalize({strip}, "\u0BCA"), "\u0BC6\u0BBE") << "two spacing marks";
}

TEST(Normalize, BertLowersCase) {
  const BertNormalizer lower{
      .clean_text = false, .ideographs = false, .strip_accents = false, .lower_case = true};
  EXPECT_EQ(normalize({lower}, "AZaz ÀÖØÞ ĀŽ ΑΣ АЯ Ѐ ԱՖ Ⴀ Ꭰ Ａ 𐐀 @[`{ ×"),
            "azaz àöøþ āž ασ ая ѐ աֆ ⴀ ꭰ ａ 𐐨 @[`{ ×");
  EXPECT_EQ(normalize({lower}, "İ"), "i\u0307");
  EXPECT_EQ(normalize({lower}, "āaĂă"), "āaăă") << "every second letter is an upper case one";
}

TEST(Normalize, BertInItsOrder) {
  EXPECT_EQ(normalize({BertNormalizer{}}, "É\n静\u0301A\u0300"), "e  静 a");
}

TEST(PreTokenize, NoneKeepsTheText) {
  EXPECT_THAT(pre_tokenize(PreTokenizer::kNone, " a b "), ElementsAre(" a b "));
  EXPECT_THAT(pre_tokenize(PreTokenizer::kNone, ""), IsEmpty());
}

TEST(PreTokenize, WhitespaceAlsoCutsBetweenWordsAndTheRest) {
  EXPECT_THAT(pre_tokenize(PreTokenizer::kWhitespace, " Hey, you!?  x_1=2 "),
              ElementsAre("Hey", ",", "you", "!?", "x_1", "=", "2"));
  EXPECT_THAT(pre_tokenize(PreTokenizer::kWhitespace, "naïve\u3000静夜思。e\u0301٣"),
              ElementsAre("naïve", "静夜思", "。", "e\u0301٣"));
  EXPECT_THAT(pre_tokenize(PreTokenizer::kWhitespace, " \n\t"), IsEmpty());
  EXPECT_THAT(pre_tokenize(PreTokenizer::kWhitespace,
                           "a\xFF"
                           "b"),
              ElementsAre("a", "\xFF", "b"));
}

TEST(PreTokenize, BertSetsEachPunctuationMarkApart) {
  EXPECT_THAT(pre_tokenize(PreTokenizer::kBert, "Hey!? it's $5 — “so”…x_1"),
              ElementsAre("Hey", "!", "?", "it", "'", "s", "$", "5", "—", "“", "so", "”", "…", "x",
                          "_", "1"));
  EXPECT_THAT(pre_tokenize(PreTokenizer::kBert, "€5°"), ElementsAre("€5°"))
      << "symbols past ASCII are none";
}

// Counts from the Unicode Character Database, version 14: Mn and P* as in its
// DerivedGeneralCategory.txt.
TEST(Unicode, TablesHaveTheirSizes) {
  int marks = 0, punctuation = 0, controls = 0, spaces = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    marks += is_nonspacing_mark(c);
    punctuation += c >= 0x80 && is_punctuation(c);
    controls += is_control(c);
    spaces += is_space(c);
  }
  EXPECT_EQ(marks, 1950);
  EXPECT_EQ(punctuation, 819 - 23);
  EXPECT_EQ(controls, 65 + 163 + 137468);
  EXPECT_EQ(spaces, 25);
}

}  // namespace
}  // namespace gradwalk::nn
