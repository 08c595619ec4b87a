#include "lessons/course/engine/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>

namespace gradwalk::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kTwo = R"({"words": [
  {"word": "KV cache", "also": ["cache"], "text": "Keys and values.", "formula": "2 x n",
   "related": ["query"], "lesson": 10},
  {"word": "query", "text": "What a token asks with."}]})";

TEST(Glossary, FindsAWordByAnyOfItsNames) {
  const std::vector<GlossaryWord> words = parse_glossary(kTwo);
  for (const char* name : {"KV cache", "kv-cache", "KV CACHES", "cache", "[cache]"}) {
    ASSERT_NE(find_word(words, name), nullptr) << name;
    EXPECT_EQ(find_word(words, name)->lesson, 10) << name;
  }
  ASSERT_NE(find_word(words, "queries"), nullptr);
  EXPECT_EQ(find_word(words, "queries")->word, "query");
  EXPECT_EQ(find_word(words, "keys"), nullptr);
  EXPECT_THAT(glossary_names(words), ElementsAre("KV cache", "cache", "query"));
}

TEST(Glossary, FaultsAreNamed) {
  EXPECT_THAT(
      [] {
        parse_glossary(R"({"words": [{"word": "a", "text": "t"}, {"word": "A", "text": "u"}]})");
      },
      ThrowsMessage<std::logic_error>("glossary: 'A' stands there twice"));
  EXPECT_THAT(
      [] { parse_glossary(R"({"words": [{"word": "a", "text": "t", "related": ["b"]}]})"); },
      ThrowsMessage<std::logic_error>("glossary: 'a' is related to 'b', which is no word"));
  EXPECT_THROW(parse_glossary(R"({"words": [{"word": "a"}]})"), std::logic_error);
  EXPECT_THROW(parse_glossary("{"), std::logic_error);
}

TEST(Glossary, PageHasAllThatAWordHas) {
  EXPECT_THAT(
      glossary_page(parse_glossary(kTwo)),
      HasSubstr("\n**KV cache** (cache)  \nKeys and values.\n\n    2 x n\n\nSee also: query. "
                "Lesson 10.\n\n**query**  \nWhat a token asks with.\n"));
}

class TheGlossary : public testing::Test {
 protected:
  const std::vector<GlossaryWord> words_ = parse_glossary(glossary_json());
};

TEST_F(TheGlossary, IsAboutTheCourse) {
  EXPECT_GE(words_.size(), 70U);
  for (const GlossaryWord& word : words_) {
    EXPECT_GE(word.lesson, 0) << word.word;
    EXPECT_LE(word.lesson, 22) << word.word;
    EXPECT_GE(word.text.size(), 30U) << word.word;
    EXPECT_LE(word.text.size(), 400U) << word.word;
    EXPECT_TRUE(word.text.ends_with(".")) << word.word;
  }
}

// An abbreviation in an explanation is a word of the glossary itself, or stands for a symbol.
TEST_F(TheGlossary, ExplainsTheAbbreviationsThatItUses) {
  const std::set<std::string> symbols = {"W_Q", "W_K", "W_V", "W_O"};
  const std::regex abbreviation(R"(\b[A-Z][A-Z_]+\b)");
  for (const GlossaryWord& word : words_) {
    for (std::sregex_iterator at(word.text.begin(), word.text.end(), abbreviation), end; at != end;
         ++at) {
      const std::string name = at->str();
      const bool verdict = word.word == "verdict" || word.word == "evidence";
      EXPECT_TRUE(verdict || symbols.contains(name) || find_word(words_, name) != nullptr)
          << word.word << ": " << name;
    }
  }
}

TEST_F(TheGlossary, PageIsCurrent) {
  std::ifstream file(std::string(GRADWALK_SOURCE_DIR) + "/docs/glossary.md");
  ASSERT_TRUE(file) << "docs/glossary.md";
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(page, glossary_page(words_))
      << "write it anew: ./gradwalk help words --page > docs/glossary.md";
}

}  // namespace
}  // namespace gradwalk::course
