#include "nn/tokenizer/bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "nn/tokenizer/support.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using test::Ids;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

struct Rule {
  std::string left, right;
  std::uint32_t rank;
};

Bpe make(const std::vector<std::string>& tokens, const std::vector<Rule>& rules,
         const BpeOptions& options = {}) {
  auto vocabulary = std::make_shared<const Vocabulary>(tokens);
  BpeMerges merges;
  for (const Rule& rule : rules) {
    const auto joined = vocabulary->id(rule.left + rule.right).value();
    merges.add(vocabulary->id(rule.left).value(), vocabulary->id(rule.right).value(),
               {rule.rank, static_cast<std::uint32_t>(joined)});
  }
  return Bpe(std::move(vocabulary), std::move(merges), options);
}

Ids encode(const Bpe& bpe, std::string_view text) {
  Ids ids;
  bpe.encode(text, ids);
  return ids;
}

TEST(Bpe, TheSmallestRankGoesFirst) {
  const std::vector<std::string> tokens = {"a", "b", "c", "ab", "bc"};
  EXPECT_THAT(encode(make(tokens, {{"a", "b", 0}, {"b", "c", 1}}), "abc"), ElementsAre(3, 2));
  EXPECT_THAT(encode(make(tokens, {{"a", "b", 1}, {"b", "c", 0}}), "abc"), ElementsAre(0, 4));
}

TEST(Bpe, TheLeftmostGoesFirstOnTies) {
  const std::vector<std::string> tokens = {"a", "b", "c", "aa", "ab", "bc"};
  EXPECT_THAT(encode(make(tokens, {{"a", "a", 0}}), "aaaaa"), ElementsAre(3, 3, 0));
  // Two pairs of one rank, as equal scores give them.
  EXPECT_THAT(encode(make(tokens, {{"a", "b", 7}, {"b", "c", 7}}), "abc"), ElementsAre(4, 2));
}

TEST(Bpe, MergesBuildOnMerges) {
  const Bpe bpe =
      make({"a", "b", "ab", "abab", "ababab"}, {{"a", "b", 0}, {"ab", "ab", 1}, {"abab", "ab", 2}});
  EXPECT_THAT(encode(bpe, "abababab"), ElementsAre(3, 3));
  EXPECT_THAT(encode(bpe, "ababab"), ElementsAre(4));
  EXPECT_THAT(encode(bpe, ""), IsEmpty());
}

TEST(Bpe, BytesStandForACharacterIfAllAreThere) {
  std::vector<std::string> tokens = test::byte_tokens();
  tokens.insert(tokens.end(), {"a", "<unk>"});
  BpeOptions options{.unknown = 257, .byte_fallback = true};
  EXPECT_THAT(encode(make(tokens, {}, options), "aé"), ElementsAre(256, 0xC3, 0xA9));
  tokens[0xA9] = "lost";
  EXPECT_THAT(encode(make(tokens, {}, options), "éà"), ElementsAre(257, 0xC3, 0xA0))
      << "not half a character";
  options.byte_fallback = false;
  EXPECT_THAT(encode(make(tokens, {}, options), "à"), ElementsAre(257));
}

TEST(Bpe, ARunOfUnknownsIsOneTokenIfFused) {
  const std::vector<std::string> tokens = {"<unk>", "a"};
  EXPECT_THAT(encode(make(tokens, {}, {.unknown = 0}), "xya静夜"), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(encode(make(tokens, {}, {.unknown = 0, .fuse_unknown = true}), "xya静夜"),
              ElementsAre(0, 1, 0));
}

TEST(Bpe, BytesThatAreNoUtf8AreUnknownOrThemselves) {
  const std::vector<std::string> tokens = {"<unk>", "a"};
  EXPECT_THAT(encode(make(tokens, {}, {.unknown = 0}),
                     "a\xFF\xE9\x9D"
                     "a"),
              ElementsAre(1, 0, 0, 0, 1));
  EXPECT_THAT(encode(make(test::byte_tokens(), {}, {.byte_fallback = true}), "\xFF\xE9\x9D"),
              ElementsAre(0xFF, 0xE9, 0x9D));
}

TEST(Bpe, WithoutAWayToWriteACharacterItIsNamed) {
  const Bpe bpe = make({"a"}, {});
  EXPECT_THAT([&] { encode(bpe, "aé"); },
              ThrowsMessage<std::out_of_range>(
                  "encode: 'é' (U+00E9) at byte 1 is not in the vocabulary, which has no "
                  "token for what is unknown"));
  EXPECT_THAT([&] { encode(bpe, "\xFF"); },
              ThrowsMessage<std::out_of_range>(HasSubstr("byte 0xFF, no UTF-8, at byte 0")));
}

// The meaning: look at all neighbours, merge the first of the best, begin again.
Ids encode_naively(
    const std::map<std::pair<std::int64_t, std::int64_t>, std::pair<int, std::int64_t>>& merges,
    Ids ids) {
  while (true) {
    std::size_t best = ids.size();
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      if (!merges.contains({ids[i], ids[i + 1]})) continue;
      if (best == ids.size() ||
          merges.at({ids[i], ids[i + 1]}).first < merges.at({ids[best], ids[best + 1]}).first)
        best = i;
    }
    if (best == ids.size()) return ids;
    ids[best] = merges.at({ids[best], ids[best + 1]}).second;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, AgreesWithTheNaiveLoop) {
  Generator gen(/*seed=*/11, "bpe");
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> tokens = {"a", "b", "c"};
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<int, std::int64_t>> naive;
    BpeMerges merges;
    for (int i = 0; i < 12; ++i) {
      const auto size = static_cast<std::int64_t>(tokens.size());
      const std::int64_t left = gen.below(size), right = gen.below(size);
      const int rank = static_cast<int>(gen.below(6));  // ties are common
      tokens.push_back(tokens[static_cast<std::size_t>(left)] +
                       tokens[static_cast<std::size_t>(right)]);
      naive[{left, right}] = {rank, size};
      merges.add(left, right, {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(size)});
    }
    const Bpe bpe(std::make_shared<const Vocabulary>(tokens), std::move(merges), {});
    std::string text;
    Ids letters;
    for (std::int64_t i = gen.below(60); i > 0; --i) {
      letters.push_back(gen.below(3));
      text += tokens[static_cast<std::size_t>(letters.back())];
    }
    ASSERT_EQ(encode(bpe, text), encode_naively(naive, letters)) << text;
  }
}

TEST(ByteToken, ComesBack) {
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(byte_of_token(byte_token(static_cast<std::uint8_t>(byte))), byte);
  }
  for (const char* text : {"<0x0>", "<0x0G>", "<0x0A", "0x0A>>", "<0x0a>", "", "<0x0A> "}) {
    EXPECT_EQ(byte_of_token(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gradwalk::nn
