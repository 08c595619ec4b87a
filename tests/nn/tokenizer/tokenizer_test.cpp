#include "nn/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "nn/checkpoint/files.h"
#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/support.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using test::Ids;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
namespace fs = std::filesystem;

const fs::path kModels = test::data("models");

// What the libraries that the checkpoints were made with give for each text.
class TokenizerReference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const json reference = test::data_json("models/" + std::string(GetParam()) + "/reference.json");
    GRADWALK_SKIP_WITHOUT_DATA(reference);
    cases_ = reference.at("tokenizer_cases");
  }

  json cases_;
};

TEST_P(TokenizerReference, EveryCase) {
  const Tokenizer tokenizer = load_tokenizer(kModels / GetParam());
  ASSERT_FALSE(cases_.empty());
  for (const json& one : cases_) {
    const auto text = one.at("text").get<std::string>();
    const Ids ids = tokenizer.encode(text);
    EXPECT_EQ(ids, one.at("ids").get<Ids>()) << text;
    if (one.contains("decoded")) {
      EXPECT_EQ(tokenizer.decode(ids), one.at("decoded")) << text;
    }
    if (!one.contains("tokens")) continue;
    std::vector<std::string> tokens;
    for (const std::int64_t id : ids) tokens.push_back(tokenizer.token(id));
    EXPECT_EQ(tokens, one.at("tokens").get<std::vector<std::string>>()) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TokenizerReference,
                         testing::Values("stories260K", "tinystories-656k", "tiny-bert"),
                         [](const auto& model) {
                           std::string name = model.param;
                           std::erase(name, '-');
                           return name;
                         });

class TokenizerFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kModels)) GTEST_SKIP() << "no data/models in " GRADWALK_TEST_DATA;
  }
};

TEST_F(TokenizerFiles, SpecialIdsComeFromTheFiles) {
  const SpecialIds stories = load_tokenizer(kModels / "stories260K" / "tok512.bin").special();
  EXPECT_EQ(stories.bos, 1);
  EXPECT_EQ(stories.eos, 2);
  const SpecialIds llama =
      load_tokenizer(kModels / "tinystories-656k" / "tokenizer.json").special();
  EXPECT_EQ(llama.bos, 1);
  EXPECT_EQ(llama.eos, 2);
  EXPECT_EQ(llama.pad, 0);
  EXPECT_EQ(llama.cls, std::nullopt);
  const SpecialIds bert = load_tokenizer(kModels / "tiny-bert").special();
  EXPECT_EQ(bert.pad, 0);
  EXPECT_EQ(bert.unk, 1);
  EXPECT_EQ(bert.cls, 2);
  EXPECT_EQ(bert.sep, 3);
  EXPECT_EQ(bert.mask, 4);
  EXPECT_EQ(bert.bos, std::nullopt);
}

TEST_F(TokenizerFiles, BertsVocabTxtAgreesWithItsJson) {
  const Tokenizer json_file = load_tokenizer(kModels / "tiny-bert" / "tokenizer.json");
  const Tokenizer text_file = load_tokenizer(kModels / "tiny-bert" / "vocab.txt");
  EXPECT_EQ(text_file.vocab_size(), json_file.vocab_size());
  for (const char* text : {"t5 t6 t7 t250", "t9 unknown t10", "t100,t101", "", " t5\tT6  "}) {
    EXPECT_EQ(text_file.encode(text), json_file.encode(text)) << text;
  }
}

TEST_F(TokenizerFiles, WritesTheStoriesOfTheModels) {
  for (const char* model : {"stories260K", "tinystories-656k"}) {
    const json reference = test::data_json("models/" + std::string(model) + "/reference.json");
    const Tokenizer tokenizer = load_tokenizer(kModels / model);
    for (const json& greedy : reference.at("greedy")) {
      EXPECT_EQ(tokenizer.encode(greedy.at("prompt").get<std::string>()),
                greedy.at("prompt_ids").get<Ids>());
      auto ids = greedy.at("ids").get<Ids>();
      if (greedy.contains("next_id")) ids.push_back(greedy.at("next_id"));
      EXPECT_EQ(tokenizer.decode(ids), greedy.at("text"));
    }
  }
}

TEST_F(TokenizerFiles, AModelWithoutATokenizerSaysSo) {
  EXPECT_THAT(
      [] { load_tokenizer(kModels / "tiny-gpt2"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("no tokenizer: expected tokenizer.json")));
  EXPECT_THAT([] { load_tokenizer(kModels / "stories260K" / "stories260K.bin"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("stories260K.bin: ")));
}

class LoadTokenizer : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    test::write(folder_ / name, content);
  }

  test::Folder folder_;
};

TEST_F(LoadTokenizer, PicksByWhatIsThere) {
  put("tok9.bin", test::scores_file({{" ", 0}}));
  EXPECT_EQ(load_tokenizer(folder_.path()).vocab_size(), 260);
  put("tokenizer.bin", test::scores_file({{" ", 0}, {"a", 0}}));
  EXPECT_EQ(load_tokenizer(folder_.path()).vocab_size(), 261);
  put("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n");
  EXPECT_EQ(load_tokenizer(folder_.path()).vocab_size(), 3);
  put("tokenizer.json", test::bpe_file({"a", "b"}, {}).dump());
  EXPECT_EQ(load_tokenizer(folder_.path()).vocab_size(), 2);
  EXPECT_EQ(load_tokenizer(folder_ / "vocab.txt").vocab_size(), 3);
}

TEST_F(LoadTokenizer, ReadsTheConfigsBesideIt) {
  put("tokenizer.json", test::bpe_file({"a", "b"}, {}).dump());
  put("special_tokens_map.json", R"({"bos_token": "b", "eos_token": "b"})");
  put("tokenizer_config.json", R"({"bos_token": "a"})");
  EXPECT_EQ(load_tokenizer(folder_.path()).special().bos, 0);
  EXPECT_EQ(load_tokenizer(folder_.path()).special().eos, 1);
}

TEST_F(LoadTokenizer, ErrorsNameTheFile) {
  const auto load = [&](const std::string& name) {
    return [path = folder_ / name] { load_tokenizer(path); };
  };
  put("tokenizer.json", R"({"model": {"type": "Unigram", "vocab": {}}})");
  EXPECT_THAT(load(""), ThrowsMessage<std::runtime_error>(
                            "load_tokenizer: " + (folder_ / "tokenizer.json").string() +
                            ": model Unigram is not supported"));
  EXPECT_THAT(load("absent.json"),
              ThrowsMessage<std::runtime_error>(HasSubstr("absent.json: no such file")));
  put("model.safetensors", "");
  EXPECT_THAT(load("model.safetensors"),
              ThrowsMessage<std::runtime_error>(HasSubstr("expected a tokenizer: a file *.json")));
  fs::remove(folder_ / "tokenizer.json");
  put("tok1.bin", "");
  put("tok2.bin", "");
  const std::string two =
      folder_.path().string() + ": expected one tokenizer, got tok1.bin and tok2.bin";
  EXPECT_THAT([&] { load_tokenizer(folder_.path()); },
              ThrowsMessage<std::runtime_error>("load_tokenizer: " + two));
  EXPECT_THAT([&] { find_tokenizer(folder_.path()); },
              ThrowsMessage<std::runtime_error>("find_tokenizer: " + two));
}

Tokenizer byte_tokenizer() {
  std::vector<test::Scored> tokens = {{" ", 0}, {"静", 0}};
  return tokenizer_from_scores(test::scores_file(tokens));
}

TEST(TextStream, HoldsBackHalfACharacter) {
  const Tokenizer tokenizer = byte_tokenizer();
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.add(1), "");
  EXPECT_EQ(stream.add(259), "") << "the space after BOS";
  EXPECT_EQ(stream.add('a' + 3), "a");
  EXPECT_EQ(stream.add(0xF0 + 3), "");
  EXPECT_EQ(stream.add(0x9F + 3), "");
  EXPECT_EQ(stream.add(0x99 + 3), "");
  EXPECT_EQ(stream.add(0x82 + 3), "🙂");
  EXPECT_EQ(stream.add(0xE9 + 3), "");
  EXPECT_EQ(stream.add('b' + 3), "\uFFFDb") << "no character after all";
  EXPECT_EQ(stream.add(0xE9 + 3), "");
  EXPECT_EQ(stream.add(0x9D + 3), "");
  EXPECT_EQ(stream.finish(), "\uFFFD\uFFFD");
  EXPECT_EQ(stream.add(260), "静") << "it begins anew";
}

TEST(TextStream, PiecesMakeUpWhatDecodeGives) {
  json file = test::bpe_file(test::byte_tokens(), {});
  for (const char* token : {"▁", "a", "▁b", "静", "<s>"}) {
    const auto next = file["model"]["vocab"].size();
    file["model"]["vocab"][token] = next;
  }
  file["decoder"] = json::parse(R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 2, "stop": 0}]})");
  const Tokenizer tokenizers[] = {byte_tokenizer(), tokenizer_from_json(file.dump())};
  Generator gen(/*seed=*/5, "stream");
  for (int round = 0; round < 400; ++round) {
    const Tokenizer& tokenizer = tokenizers[round % 2];
    Ids ids;
    for (std::int64_t i = gen.below(12); i > 0; --i) {
      // Mostly bytes of characters that go on.
      ids.push_back(gen.below(3) == 0 ? gen.below(tokenizer.vocab_size()) : 0x80 + gen.below(0x80));
    }
    TextStream stream(tokenizer);
    std::string text;
    for (const std::int64_t id : ids) text += stream.add(id);
    text += stream.finish();
    ASSERT_EQ(text, tokenizer.decode(ids)) << testing::PrintToString(ids);
  }
  EXPECT_EQ(tokenizers[1].decode(Ids{256, 258, 257}), "ba") << "two spaces go, from two tokens";
  EXPECT_EQ(tokenizers[1].decode(Ids{256, 257, 258}), "a b");
  EXPECT_EQ(tokenizers[1].decode(Ids{0x20, 0x20, 0x20, 257}), " a");
}

TEST(Tokenizer, IdsAreChecked) {
  const Tokenizer tokenizer = byte_tokenizer();
  EXPECT_THAT(
      [&] {
        tokenizer.decode(Ids{3, 261});
      },
      ThrowsMessage<std::out_of_range>("decode: expected an id in [0, 261), got 261"));
  EXPECT_THAT([&] { tokenizer.token(-1); },
              ThrowsMessage<std::out_of_range>("token: expected an id in [0, 261), got -1"));
  EXPECT_THAT([&] { TextStream(tokenizer).add(261); },
              ThrowsMessage<std::out_of_range>("TextStream: expected an id in [0, 261), got 261"));
  EXPECT_EQ(tokenizer.id("nothing"), std::nullopt);
}

TEST(Tokenizer, LivesOnWhenMoved) {
  Tokenizer first = byte_tokenizer();
  const Tokenizer second = std::move(first);
  EXPECT_THAT(second.encode("静"), ElementsAre(1, 259, 260));
}

// A merge at a time over the whole text would take hours: 10^6 characters, some 10^6 merges.
TEST(Tokenizer, AMillionCharactersInOnePiece) {
  const Tokenizer tokenizer = tokenizer_from_scores(
      test::scores_file({{" ", 0}, {"a", 0}, {"b", 0}, {"ab", 3}, {"abab", 2}, {"abababab", 1}}));
  std::string text;
  for (int i = 0; i < 500000; ++i) text += "ab";
  EXPECT_EQ(tokenizer.encode(text).size(), 2u + 125000u);
}

}  // namespace
}  // namespace gradwalk::nn
