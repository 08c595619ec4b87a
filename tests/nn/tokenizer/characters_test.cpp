#include "nn/tokenizer/characters.h"

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

TEST(CharacterTokenizer, IdsFollowTheCodePoints) {
  const Tokenizer tokenizer = character_tokenizer("b静\na b");
  EXPECT_EQ(tokenizer.vocab_size(), 5);
  EXPECT_THAT(tokenizer.encode("ab 静\n"), ElementsAre(2, 3, 1, 4, 0));
  EXPECT_EQ(tokenizer.decode(Ids{4, 3, 0}), "静b\n");
  EXPECT_EQ(tokenizer.special().bos, std::nullopt);
  EXPECT_THAT([&] { tokenizer.encode("abc"); },
              ThrowsMessage<std::out_of_range>(HasSubstr("'c' (U+0063) at byte 2")));
}

TEST(CharacterTokenizer, ComesBackFromItsFile) {
  const std::string text = std::string("\0\"\\\n\u2028\u007F{}[]静🙂 az", 22);
  const Tokenizer made = character_tokenizer(text);
  const Tokenizer read = tokenizer_from_json(character_tokenizer_json(made));
  ASSERT_EQ(read.vocab_size(), made.vocab_size());
  for (std::int64_t id = 0; id < made.vocab_size(); ++id) EXPECT_EQ(read.token(id), made.token(id));
  EXPECT_EQ(read.encode(text), made.encode(text));
  EXPECT_EQ(read.decode(read.encode(text)), text);
}

TEST(CharacterTokenizer, NeedsText) {
  EXPECT_THAT([] { character_tokenizer(""); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("not empty")));
  EXPECT_THAT([] { character_tokenizer("ab\xFF"); },
              ThrowsMessage<std::invalid_argument>(
                  "character_tokenizer: expected UTF-8, got byte 0xFF at 2"));
}

}  // namespace
}  // namespace gradwalk::nn
