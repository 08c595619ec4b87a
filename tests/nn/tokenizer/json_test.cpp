#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/support.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using test::Ids;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

json llama_file() {
  json file =
      test::bpe_file({"<unk>", "<s>", "</s>", "▁", "a", "b", "▁a", "▁ab", "[x]"}, {"▁ a", "▁a b"});
  file["model"]["unk_token"] = "<unk>";
  file["model"]["fuse_unk"] = true;
  file["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers",
       {{{"type", "Prepend"}, {"prepend", "▁"}},
        {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}}}};
  file["decoder"] = {{"type", "Sequence"},
                     {"decoders",
                      {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                       {{"type", "ByteFallback"}},
                       {{"type", "Fuse"}},
                       {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}};
  file["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
        {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", {"<s>"}}}}}}};
  file["added_tokens"] = {
      {{"id", 2}, {"content", "</s>"}, {"special", true}, {"normalized", false}},
      {{"id", 8}, {"content", "[x]"}, {"special", false}, {"normalized", true}}};
  return file;
}

Tokenizer read(const json& file, const TokenizerConfigs& configs = {}) {
  return tokenizer_from_json(file.dump(), configs);
}

TEST(TokenizerJson, BpeOverTheWholeText) {
  const Tokenizer tokenizer = read(llama_file());
  EXPECT_THAT(tokenizer.encode("ab a?!b"), ElementsAre(1, 7, 6, 0, 5));
  EXPECT_THAT(tokenizer.encode("ab", {.special_tokens = false}), ElementsAre(7));
  EXPECT_THAT(tokenizer.encode(""), ElementsAre(1));
  EXPECT_EQ(tokenizer.decode(Ids{1, 7, 6, 5}), "ab ab");
  EXPECT_EQ(tokenizer.decode(Ids{1, 3, 7}), " ab") << "one space goes, no more";
  EXPECT_EQ(tokenizer.decode(Ids{4, 7}), "a ab") << "only where the text begins";
}

TEST(TokenizerJson, AddedTokensAreFoundInTheText) {
  const Tokenizer tokenizer = read(llama_file());
  EXPECT_THAT(tokenizer.encode("a</s>b"), ElementsAre(1, 6, 2, 3, 5))
      << "the rest is normalised part by part";
  // A normalised token is looked for as the normalizers write it: here with ▁ before it.
  EXPECT_THAT(tokenizer.encode("a [x]b"), ElementsAre(1, 6, 8, 5));
  EXPECT_THAT(tokenizer.encode("a[x]"), ElementsAre(1, 6, 0));
  EXPECT_EQ(tokenizer.decode(Ids{1, 6, 2, 8}), "a[x]") << "special ones are left out";
}

TEST(TokenizerJson, TheLongestAddedTokenCounts) {
  json file = test::bpe_file({"a", "b"}, {});
  file["added_tokens"] = {{{"id", 3}, {"content", "<ab>"}, {"special", true}},
                          {{"id", 2}, {"content", "<a"}, {"special", true}},
                          {{"id", 4}, {"content", "ab"}}};
  const Tokenizer tokenizer = read(file);
  EXPECT_EQ(tokenizer.vocab_size(), 5);
  EXPECT_EQ(tokenizer.token(3), "<ab>");
  EXPECT_THAT(tokenizer.encode("<ab><aba"), ElementsAre(3, 2, 1, 0));
}

TEST(TokenizerJson, ConfigsNameTheSpecialTokens) {
  const TokenizerConfigs configs = {
      R"({"bos_token": {"content": "a"}, "eos_token": null})",
      R"({"bos_token": "b", "eos_token": "b", "pad_token": "<unk>"})"};
  const Tokenizer tokenizer = read(llama_file(), configs);
  EXPECT_EQ(tokenizer.special().bos, 4) << "the first that names it";
  EXPECT_EQ(tokenizer.special().eos, 5);
  EXPECT_EQ(tokenizer.special().pad, 0);
  EXPECT_EQ(tokenizer.special().unk, 0);
  EXPECT_TRUE(tokenizer.is_special(5));
  EXPECT_FALSE(tokenizer.is_special(8));
  EXPECT_EQ(read(llama_file()).special().bos, 1) << "<s> by its name";
  EXPECT_THAT([&] { read(llama_file(), {R"({"eos_token": "end"})"}); },
              ThrowsMessage<std::runtime_error>(
                  "tokenizer config: eos_token 'end' is not in the vocabulary"));
}

TEST(TokenizerJson, MergesMayBePairs) {
  json file = test::bpe_file({"a", " ", "a "}, {});
  file["model"]["merges"] = json::parse(R"([["a", " "]])");
  EXPECT_THAT(read(file).encode("a a"), ElementsAre(2, 0));
}

TEST(TokenizerJson, WithoutADecoderSpacesJoinTheTokens) {
  json file = test::bpe_file({"a", "b"}, {});
  file.erase("decoder");
  EXPECT_EQ(read(file).decode(Ids{0, 1, 1}), "a b b");
}

// What a change to a good file is answered with.
struct Bad {
  const char* name;
  std::function<void(json&)> change;
  const char* message;
};

class TokenizerJsonError : public testing::TestWithParam<Bad> {};

TEST_P(TokenizerJsonError, SaysWhatItIs) {
  json file = llama_file();
  GetParam().change(file);
  EXPECT_THAT([&] { read(file); }, ThrowsMessage<std::runtime_error>(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Unsupported, TokenizerJsonError,
    testing::Values(
        Bad{"Unigram", [](json& f) { f["model"]["type"] = "Unigram"; },
            "model Unigram is not supported"},
        Bad{"WordLevel", [](json& f) { f["model"]["type"] = "WordLevel"; },
            "model WordLevel is not supported"},
        Bad{"Normalizer",
            [](json& f) {
              f["normalizer"] = {{"type", "NFKC"}};
            },
            "normalizer NFKC is not supported"},
        Bad{"NormalizerInSequence",
            [](json& f) {
              f["normalizer"]["normalizers"][0] = {{"type", "Nmt"}};
            },
            "normalizer Nmt is not supported"},
        Bad{"SequenceInSequence",
            [](json& f) { f["normalizer"]["normalizers"][0] = f["normalizer"]; },
            "normalizer Sequence is not supported"},
        Bad{"RegexReplace",
            [](json& f) {
              f["normalizer"]["normalizers"][1]["pattern"] = {{"Regex", "a+"}};
            },
            "normalizer Replace with a pattern that is no String is not supported"},
        Bad{"PreTokenizer",
            [](json& f) {
              f["pre_tokenizer"] = {{"type", "ByteLevel"}};
            },
            "pre_tokenizer ByteLevel is not supported"},
        Bad{"PostProcessor",
            [](json& f) {
              f["post_processor"] = {{"type", "RobertaProcessing"}};
            },
            "post_processor RobertaProcessing is not supported"},
        Bad{"TypeId",
            [](json& f) { f["post_processor"]["single"][0]["SpecialToken"]["type_id"] = 1; },
            "post_processor.single with a type_id that is not 0 is not supported"},
        Bad{"Decoder",
            [](json& f) {
              f["decoder"] = {{"type", "Metaspace"}};
            },
            "decoder Metaspace is not supported"},
        Bad{"DecoderOrder",
            [](json& f) { std::swap(f["decoder"]["decoders"][0], f["decoder"]["decoders"][2]); },
            "decoder ByteFallback at this place of the Sequence is not supported"},
        Bad{"StripBeforeFuse", [](json& f) { f["decoder"]["decoders"].erase(2); },
            "decoder Strip at this place of the Sequence is not supported"},
        Bad{"StripAtTheEnd", [](json& f) { f["decoder"]["decoders"][3]["stop"] = 1; },
            "decoder Strip at the end is not supported"},
        Bad{"Dropout", [](json& f) { f["model"]["dropout"] = 0.1; },
            "model.dropout is not supported"},
        Bad{"Prefix", [](json& f) { f["model"]["continuing_subword_prefix"] = "##"; },
            "model.continuing_subword_prefix is not supported"},
        Bad{"Suffix", [](json& f) { f["model"]["end_of_word_suffix"] = "</w>"; },
            "model.end_of_word_suffix is not supported"},
        Bad{"IgnoreMerges", [](json& f) { f["model"]["ignore_merges"] = true; },
            "model.ignore_merges is not supported"},
        Bad{"Truncation",
            [](json& f) {
              f["truncation"] = {{"max_length", 8}};
            },
            "truncation is not supported"},
        Bad{"Padding",
            [](json& f) {
              f["padding"] = {{"strategy", {{"Fixed", 8}}}};
            },
            "padding to a fixed length is not supported"},
        Bad{"SingleWord", [](json& f) { f["added_tokens"][0]["single_word"] = true; },
            "added_tokens: '</s>' with single_word is not supported"},
        Bad{"Lstrip", [](json& f) { f["added_tokens"][0]["lstrip"] = true; },
            "added_tokens: '</s>' with lstrip is not supported"},
        // Else 100 of them would turn one letter into 2^100.
        Bad{"Growth",
            [](json& f) {
              f["normalizer"]["normalizers"] = json::array();
              for (int i = 0; i < 100; ++i) {
                f["normalizer"]["normalizers"].push_back(
                    {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
              }
            },
            "normalizer: a text that may grow more than 64-fold is not supported"}),
    [](const auto& bad) { return std::string(bad.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Wrong, TokenizerJsonError,
    testing::Values(
        Bad{"NoModel", [](json& f) { f.erase("model"); },
            "tokenizer.json: expected a member \"model\""},
        Bad{"NoObject", [](json& f) { f = json::array(); }, "tokenizer.json: expected an object"},
        Bad{"NoType", [](json& f) { f["model"].erase("type"); },
            "model: expected a member \"type\""},
        Bad{"NoVocab", [](json& f) { f["model"].erase("vocab"); },
            "model: expected a member \"vocab\""},
        Bad{"VocabList", [](json& f) { f["model"]["vocab"] = json::array(); },
            "model.vocab: expected an object"},
        Bad{"NegativeId", [](json& f) { f["model"]["vocab"]["a"] = -1; },
            "model.vocab: expected each id in [0, 9) once, and 'a' has another"},
        Bad{"LargeId", [](json& f) { f["model"]["vocab"]["a"] = 9; },
            "model.vocab: expected each id in [0, 9) once, and 'a' has another"},
        Bad{"HugeId", [](json& f) { f["model"]["vocab"]["a"] = 18446744073709551615u; },
            "model.vocab: expected each id in [0, 9) once, and 'a' has another"},
        Bad{"IdTwice", [](json& f) { f["model"]["vocab"]["b"] = 4; },
            "model.vocab: expected each id in [0, 9) once, and 'b' has another"},
        Bad{"IdOfAnotherType", [](json& f) { f["model"]["vocab"]["a"] = "4"; },
            "model.vocab: expected each id in [0, 9) once, and 'a' has another"},
        Bad{"UnknownUnknown", [](json& f) { f["model"]["unk_token"] = "?"; },
            "model.unk_token: '?' is not in the vocabulary"},
        Bad{"MergeOfOne", [](json& f) { f["model"]["merges"][1] = "ab"; },
            "model.merges[1]: expected two tokens with a space between them, got 'ab'"},
        Bad{"MergeOfThree", [](json& f) { f["model"]["merges"][0] = "a b a"; },
            "model.merges[0]: expected two tokens with a space between them, got 'a b a'"},
        Bad{"MergeOfNumbers",
            [](json& f) {
              f["model"]["merges"][0] = json::array({1, 2});
            },
            "model.merges[0]: expected two tokens"},
        Bad{"MergeOfStrangers", [](json& f) { f["model"]["merges"][0] = "a z"; },
            "model.merges[0]: 'z' is not in the vocabulary"},
        Bad{"MergeToAStranger", [](json& f) { f["model"]["merges"][0] = "a b"; },
            "model.merges[0]: 'ab' is not in the vocabulary"},
        Bad{"FlagOfText", [](json& f) { f["model"]["fuse_unk"] = "yes"; },
            "model.fuse_unk: expected true or false"},
        Bad{"AddedElsewhere", [](json& f) { f["added_tokens"][0]["id"] = 3; },
            "added_tokens: '</s>' has id 3, but another in model.vocab"},
        Bad{"AddedWithAHole",
            [](json& f) {
              f["added_tokens"][0] = {{"id", 10}, {"content", "new"}};
            },
            "added_tokens: expected each id in [0, 10) once, and 'new' has another"},
        Bad{"AddedEmpty", [](json& f) { f["added_tokens"][0]["content"] = ""; },
            "added_tokens: expected a content that is not empty"},
        Bad{"NoSequence", [](json& f) { f["post_processor"]["single"].erase(1); },
            "post_processor.single: expected a Sequence A"},
        Bad{"SequenceB", [](json& f) { f["post_processor"]["single"][1]["Sequence"]["id"] = "B"; },
            "post_processor.single: expected SpecialTokens around one Sequence A"},
        Bad{"TemplateStranger", [](json& f) { f["post_processor"]["special_tokens"].clear(); },
            "post_processor.special_tokens: expected a member \"<s>\""},
        Bad{"TemplateId",
            [](json& f) { f["post_processor"]["special_tokens"]["<s>"]["ids"][0] = 9; },
            "post_processor.special_tokens: expected ids in [0, 9)"},
        Bad{"EmptyPattern",
            [](json& f) { f["normalizer"]["normalizers"][1]["pattern"]["String"] = ""; },
            "normalizer: expected Replace to have a pattern that is not empty"},
        Bad{"StripOfTwo", [](json& f) { f["decoder"]["decoders"][3]["content"] = "ab"; },
            "decoder: expected Strip to have a content of one character"},
        Bad{"NegativeStrip", [](json& f) { f["decoder"]["decoders"][3]["start"] = -1; },
            "decoder: expected Strip to have a start >= 0"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(TokenizerJson, TextThatIsNoJsonIsAnErrorWithItsPlace) {
  EXPECT_THAT([] { tokenizer_from_json("{\"model\": }"); },
              ThrowsMessage<std::runtime_error>("no JSON: error at byte 11"));
  EXPECT_THAT([] { tokenizer_from_json(""); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no JSON")));
  EXPECT_THAT([] { tokenizer_from_json("{\"a\": \"\xFF\"}"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no JSON")));
}

// The parser answers this with another class of exception; the fuzzer found it.
TEST(TokenizerJson, ANumberPastTheRangeIsAnError) {
  EXPECT_THAT([] { tokenizer_from_json(R"({"model": 1e999})"); },
              ThrowsMessage<std::runtime_error>("no JSON: a number is too large"));
  EXPECT_THAT([] { read(llama_file(), {R"({"bos_token": 1e999})"}); },
              ThrowsMessage<std::runtime_error>("tokenizer config: expected a JSON object"));
}

TEST(TokenizerJson, DeepNestingIsNoStackOverflow) {
  const std::string deep = std::string(300000, '[') + std::string(300000, ']');
  EXPECT_THAT(
      [&] {
        tokenizer_from_json(R"({"model": {}, "normalizer": {"type": "Sequence", "normalizers": [)" +
                            deep + "]}}");
      },
      ThrowsMessage<std::runtime_error>("normalizer: expected an object"));
  EXPECT_THAT(
      [&] { read(llama_file(), {R"({"bos_token": )" + deep + "}"}); },
      ThrowsMessage<std::runtime_error>("tokenizer config: expected bos_token to be a token"));
}

}  // namespace
}  // namespace gradwalk::nn
