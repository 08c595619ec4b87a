#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/support.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using test::Ids;
using test::scores_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Ids from 259.
const std::vector<test::Scored> kTokens = {{" ", -9},  {"a", -9},   {"b", -9},
                                           {"c", -9},  {"ab", -2},  {"bc", -2},
                                           {" a", -3}, {"abc", -1}, {"bca", 0}};

TEST(Scores, TheHighestScoreGoesFirstAndTheLeftmostOnTies) {
  const Tokenizer tokenizer = tokenizer_from_scores(scores_file(kTokens));
  EXPECT_THAT(tokenizer.encode("ab"), ElementsAre(1, 259, 263)) << "ab before ' a'";
  EXPECT_THAT(tokenizer.encode("bcabc"), ElementsAre(1, 259, 267, 264)) << "bc, bca, then bc";
  EXPECT_THAT(tokenizer.encode("a"), ElementsAre(1, 265));
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(1, 259, 266))
      << "ab and bc tie: the left one, then abc";
}

TEST(Scores, ASecondCopyOfATokenIsNeverUsed) {
  const Tokenizer tokenizer = tokenizer_from_scores(
      scores_file({{" ", 0}, {"a", 0}, {"b", 0}, {"c", 0}, {"ab", 1}, {"bc", 2}, {"ab", 3}}));
  EXPECT_THAT(tokenizer.encode("ab"), ElementsAre(1, 259, 263));
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(1, 259, 260, 264))
      << "ab has the first one's score";
}

// The format's own words: of all neighbours, join the first pair whose token has the highest score.
Ids encode_naively(const std::vector<test::Scored>& tokens, std::vector<std::string> parts) {
  const auto find = [&](const std::string& text) {
    return std::find_if(tokens.begin(), tokens.end(),
                        [&](const test::Scored& scored) { return scored.token == text; });
  };
  while (true) {
    std::size_t best = parts.size();
    float best_score = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto joined = find(parts[i] + parts[i + 1]);
      if (joined == tokens.end() || (best < parts.size() && joined->score <= best_score)) continue;
      best = i;
      best_score = joined->score;
    }
    if (best == parts.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  Ids ids = {1};
  for (const std::string& part : parts) ids.push_back(259 + (find(part) - tokens.begin()));
  return ids;
}

TEST(Scores, AgreesWithTheNaiveLoop) {
  Generator gen(/*seed=*/3, "scores");
  for (int round = 0; round < 40; ++round) {
    std::vector<test::Scored> tokens = {{" ", 0}, {"a", 0}, {"b", 0}, {"c", 0}};
    for (int i = 0; i < 12; ++i) {
      const auto any = [&] {
        return tokens[static_cast<std::size_t>(gen.below(std::ssize(tokens)))].token;
      };
      const std::string left = any();
      tokens.push_back({left + any(), static_cast<float>(gen.below(8)) - 4});
    }
    std::string text;
    std::vector<std::string> letters = {" "};
    for (std::int64_t i = 1 + gen.below(40); i > 0; --i) {
      letters.push_back(tokens[static_cast<std::size_t>(gen.below(4))].token);
      text += letters.back();
    }
    ASSERT_EQ(tokenizer_from_scores(scores_file(tokens)).encode(text),
              encode_naively(tokens, letters))
        << text;
  }
}

TEST(Scores, BosAndASpaceBeginTheText) {
  const Tokenizer tokenizer = tokenizer_from_scores(scores_file(kTokens));
  EXPECT_THAT(tokenizer.encode(""), ElementsAre(1));
  EXPECT_THAT(tokenizer.encode("c", {.special_tokens = false}), ElementsAre(259, 262));
  EXPECT_THAT(tokenizer.encode("<s>"), ElementsAre(1, 259, '<' + 3, 's' + 3, '>' + 3))
      << "text is text";
  EXPECT_EQ(tokenizer.special().bos, 1);
  EXPECT_EQ(tokenizer.special().eos, 2);
  EXPECT_EQ(tokenizer.vocab_size(), 268);
  EXPECT_EQ(tokenizer.token(264), "bc");
  EXPECT_EQ(tokenizer.id("bc"), 264);
}

TEST(Scores, DecodingDropsOneSpaceAfterEachBos) {
  const Tokenizer tokenizer = tokenizer_from_scores(scores_file(kTokens));
  EXPECT_EQ(tokenizer.decode(Ids{1, 259, 259, 262}), " c");
  EXPECT_EQ(tokenizer.decode(Ids{1, 265, 265}), "a a");
  EXPECT_EQ(tokenizer.decode(Ids{265}), " a") << "no BOS, nothing dropped";
  EXPECT_EQ(tokenizer.decode(Ids{1, 262, 265, 2, 1, 265}), "c aa");
}

TEST(Scores, AnyBytesComeBackIfTheyAreUtf8) {
  const Tokenizer tokenizer = tokenizer_from_scores(scores_file(kTokens));
  const std::string text = "  ab\n静夜思 🙂\tZ";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_THAT(tokenizer.encode("\xFF"), ElementsAre(1, 259, 0xFF + 3));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a\xFF\xE9\x9D"
                                              "b")),
            "a\uFFFD\uFFFD\uFFFDb")
      << "one for each byte";
}

TEST(Scores, EveryCutIsAClearError) {
  const std::string whole = scores_file(kTokens);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      // A file that ends between two tokens is a smaller vocabulary.
      EXPECT_GE(tokenizer_from_scores(whole.substr(0, size)).vocab_size(), 259);
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("the file ends inside"),
                                               HasSubstr("expected at least 259 tokens")));
    }
  }
}

TEST(Scores, NamesWhatIsWrong) {
  const auto with = [](std::size_t offset, auto value) {
    std::string bytes = scores_file(kTokens);
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return [bytes] { tokenizer_from_scores(bytes); };
  };
  EXPECT_THAT(with(0, std::int32_t{-1}), ThrowsMessage<std::runtime_error>(HasSubstr(
                                             "the longest token to have 1 to 1024 bytes, got -1")));
  EXPECT_THAT(with(0, std::int32_t{2000}),
              ThrowsMessage<std::runtime_error>(HasSubstr("got 2000")));
  EXPECT_THAT(with(0, std::int32_t{5}),
              ThrowsMessage<std::runtime_error>("expected token 3 to have 0 to 5 bytes, got 6"));
  EXPECT_THAT(with(4, std::nanf("")),
              ThrowsMessage<std::runtime_error>("the score of token 0 is NaN"));
  EXPECT_THAT(with(8, std::int32_t{-5}),
              ThrowsMessage<std::runtime_error>("expected token 0 to have 0 to 6 bytes, got -5"));
  std::string other = scores_file(kTokens);
  other.replace(other.find("<0x00>"), 6, "<0x0A>");
  EXPECT_THAT([&] { tokenizer_from_scores(other); },
              ThrowsMessage<std::runtime_error>("expected token 3 to be <0x00>, got '<0x0A>'"));
}

}  // namespace
}  // namespace gradwalk::nn
