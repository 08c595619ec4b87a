#include "nn/tokenizer/wordpiece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/support.h"

namespace gradwalk::nn {
namespace {

using test::Ids;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<std::string> kTokens = {"[UNK]", "un", "##aff", "##able", "##a",
                                          "una",   "é",  "##é",   "##ff"};

Ids encode(std::string_view word, WordPieceOptions options = {}) {
  Ids ids;
  WordPiece(std::make_shared<const Vocabulary>(kTokens), std::move(options)).encode(word, ids);
  return ids;
}

TEST(WordPiece, TakesTheLongestTokenEachTime) {
  EXPECT_THAT(encode("unaff"), ElementsAre(5, 8)) << "una ##ff, not un ##aff";
  EXPECT_THAT(encode("una"), ElementsAre(5));
  EXPECT_THAT(encode("unaé"), ElementsAre(5, 7)) << "inside a word only tokens that continue";
}

TEST(WordPiece, AWordWithoutACutIsUnknownAsAWhole) {
  EXPECT_THAT(encode("unaffable"), ElementsAre(5, 8, 3));
  EXPECT_THAT(encode("unaffx"), ElementsAre(0));
  EXPECT_THAT(encode("able"), ElementsAre(0)) << "only ##able is there";
  EXPECT_THAT(encode("un\xC3"), ElementsAre(0)) << "half a character";
}

TEST(WordPiece, CountsCharactersOfLongWords) {
  EXPECT_THAT(encode("éé", {.max_characters = 2}), ElementsAre(6, 7))
      << "two characters of two bytes";
  EXPECT_THAT(encode("ééé", {.max_characters = 2}), ElementsAre(0));
}

TEST(WordPiece, AWholePipeline) {
  const std::vector<std::string> tokens = {"[UNK]", "hello", "##s",  ",", "don",   "'",
                                           "t",     "静",    "cafe", ".", "[MASK]"};
  nlohmann::json file = test::word_piece_file(tokens);
  const Tokenizer plain = tokenizer_from_json(file.dump());
  const Ids ids = plain.encode("Hellos, DON'T\n静静 Café.");
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4, 5, 6, 7, 7, 8, 9));
  EXPECT_EQ(plain.decode(ids), "hellos, don ' t 静 静 cafe.")
      << "as BERT's decoder cleans up, token by token";
  file["decoder"]["cleanup"] = false;
  EXPECT_EQ(tokenizer_from_json(file.dump()).decode(ids), "hellos , don ' t 静 静 cafe .");
  file["normalizer"]["lowercase"] = false;
  EXPECT_THAT(tokenizer_from_json(file.dump()).encode("Hello hello Café"), ElementsAre(0, 1, 0))
      << "accents stay too, unless strip_accents says otherwise";
}

TEST(VocabTxt, IsBert) {
  const std::string lines =
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\n##s\ncafe\n,\n静\nHello\n夜静\n";
  const Tokenizer lower = tokenizer_from_vocab_txt(lines);
  EXPECT_THAT(lower.encode("Hellos,Café静夜静 [MASK]x[SEP]"),
              ElementsAre(2, 5, 6, 8, 7, 9, 1, 9, 4, 1, 3, 3));
  EXPECT_THAT(lower.encode("hello", {.special_tokens = false}), ElementsAre(5));
  EXPECT_EQ(lower.special().pad, 0);
  EXPECT_EQ(lower.special().mask, 4);
  EXPECT_EQ(lower.special().bos, std::nullopt);
  EXPECT_EQ(lower.decode(Ids{2, 5, 6, 8, 7, 3, 0, 0}), "hellos, cafe");

  const Tokenizer cased = tokenizer_from_vocab_txt(
      lines, {R"({"do_lower_case": false, "tokenize_chinese_chars": false})"});
  EXPECT_THAT(cased.encode("Hello hello Café 夜静"), ElementsAre(2, 10, 5, 1, 11, 3));
}

TEST(VocabTxt, LinesMayEndAsInWindows) {
  EXPECT_THAT(tokenizer_from_vocab_txt("[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\nb").encode("ab a b"),
              ElementsAre(1, 0, 3, 4, 2));
}

TEST(VocabTxt, NamesWhatIsMissing) {
  EXPECT_THAT([] { tokenizer_from_vocab_txt("a\nb\n"); },
              ThrowsMessage<std::runtime_error>("expected a line [UNK]"));
  EXPECT_THAT([] { tokenizer_from_vocab_txt("[UNK]\n[CLS]\n"); },
              ThrowsMessage<std::runtime_error>("expected a line [SEP]"));
  EXPECT_THAT([] { tokenizer_from_vocab_txt(""); },
              ThrowsMessage<std::runtime_error>("expected a line [UNK]"));
  EXPECT_THAT(
      [] { tokenizer_from_vocab_txt("[UNK]\n[CLS]\n[SEP]\n", {R"({"do_lower_case": 1})"}); },
      ThrowsMessage<std::runtime_error>(
          "tokenizer config: expected do_lower_case to be true or false"));
  EXPECT_THAT([] { tokenizer_from_vocab_txt("[UNK]\n[CLS]\n[SEP]\n", {"[1"}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("expected a JSON object")));
}

}  // namespace
}  // namespace gradwalk::nn
