#include "lessons/tasks/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace gradwalk::tasks {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

std::vector<std::int64_t> ids(const std::string& text) {
  std::vector<std::int64_t> all;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::int64_t id = 0;
    while (grammar_word(id) != word) ++id;
    all.push_back(id);
  }
  return all;
}

std::vector<std::int64_t> sample(std::int64_t tokens) {
  Generator generator(1, "grammar_test");
  return draw_grammar(tokens, generator);
}

TEST(Grammar, HasFortyWordsOfSevenKinds) {
  std::map<std::string, int> kinds;
  for (std::int64_t id = 0; id < kGrammarWords; ++id) ++kinds[name(grammar_kind(id))];
  EXPECT_THAT(kinds, (std::map<std::string, int>{{"topic", 6},
                                                 {"determiner", 2},
                                                 {"adjective", 4},
                                                 {"noun", 12},
                                                 {"verb", 12},
                                                 {"comma", 1},
                                                 {"mark", 3}}));
  EXPECT_THAT([] { grammar_word(40); },
              ThrowsMessage<std::out_of_range>("grammar: expected ids in [0, 40), got 40"));
  EXPECT_THROW(grammar_kind(-1), std::out_of_range);
}

TEST(Grammar, KnowsASentence) {
  EXPECT_TRUE(is_grammar_sentence(ids("why a shy fox likes the cats , why ?")));
  EXPECT_TRUE(is_grammar_sentence(ids("so the hens feed the big pigs .")));
  for (const char* wrong :
       {"why a shy foxes likes the cats , why ?",  // number of the noun
        "why a shy fox like the cats , why ?",     // number of the verb
        "why a shy fox calls the cats , why ?",    // a verb that foxes do not do
        "why a shy fox likes the cats , how ?",    // another topic
        "why a shy fox likes the cats , why .",    // another topic's mark
        "why a shy fox likes the cats ,", "", "why a shy fox hears the cats ? so"}) {
    EXPECT_FALSE(is_grammar_sentence(ids(wrong))) << wrong;
  }
}

TEST(Grammar, WritesWhatItReads) {
  const std::vector<std::int64_t> text = sample(20000);
  ASSERT_EQ(text.size(), 20000U);
  GrammarReader reader;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::vector<double> p = reader.next();
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    EXPECT_TRUE(i == 0 || is_grammar_pair(text[i - 1], text[i])) << i;
    ASSERT_TRUE(reader.read(text[i])) << i;
  }
}

// What the reader says, against how often it happens: each word after each state that it can tell.
TEST(Grammar, ProbabilitiesAreThoseOfTheText) {
  const std::vector<std::int64_t> text = sample(200'000);
  std::map<std::vector<double>, std::vector<double>> counts;
  GrammarReader reader;
  for (const std::int64_t id : text) {
    auto& seen = counts[reader.next()];
    seen.resize(kGrammarWords);
    ++seen[static_cast<std::size_t>(id)];
    reader.read(id);
  }
  for (const auto& [p, seen] : counts) {
    const double n = std::accumulate(seen.begin(), seen.end(), 0.0);
    for (std::size_t id = 0; id < p.size(); ++id) {
      const double error = 5 * std::sqrt(n * p[id] * (1 - p[id])) + 1e-9;
      EXPECT_NEAR(seen[id], n * p[id], error) << grammar_word(static_cast<std::int64_t>(id));
    }
  }
  EXPECT_GT(counts.size(), 30U);
}

// By algebra 26/3 words and 9.94 nats a sentence; by the reader, word for word, the same.
TEST(Grammar, EntropyIsTheMeanSurpriseOfTheText) {
  const GrammarEntropy entropy = grammar_entropy();
  EXPECT_NEAR(entropy.words_per_sentence, 26.0 / 3, 1e-12);
  EXPECT_NEAR(entropy.nats_per_sentence, 9.94, 0.005);
  EXPECT_NEAR(entropy.nats_per_word, 1.147, 0.0005);
  const std::vector<std::int64_t> text = sample(200'000);
  GrammarReader reader;
  double nats = 0;
  for (const std::int64_t id : text) {
    nats -= std::log(reader.next()[static_cast<std::size_t>(id)]);
    reader.read(id);
  }
  const double marks = static_cast<double>(std::count_if(
      text.begin(), text.end(), [](auto id) { return grammar_kind(id) == GrammarKind::kMark; }));
  EXPECT_NEAR(nats / 200'000, entropy.nats_per_word, 4 * 1.0 / std::sqrt(200'000.0));
  EXPECT_NEAR(200'000 / marks, 26.0 / 3, 4 * 1.2 / std::sqrt(marks));
}

TEST(Grammar, ParseTellsWhatHangsOnWhat) {
  const std::vector<GrammarPlace> places =
      parse_grammar(ids("oh a cat sees the old dogs , oh ! now"));
  std::vector<std::int64_t> sources;
  for (const GrammarPlace& place : places) sources.push_back(place.source);
  EXPECT_THAT(sources, ElementsAre(-1, -1, 1, 2, -1, -1, 4, -1, 0, 0, 9));
  EXPECT_TRUE(places[8].echo);
  EXPECT_FALSE(places[10].echo);
  EXPECT_EQ(places[9].sentence_start, 0);
  EXPECT_EQ(places[10].sentence_start, 10);
  EXPECT_THAT([&] { parse_grammar(ids("oh a cats")); },
              ThrowsMessage<std::invalid_argument>(
                  "parse_grammar: expected a text of the grammar, got cats at 2"));
}

TEST(Grammar, ScoreCountsWhatIsRight) {
  const GrammarScore score =
      score_grammar(ids("so a cat sees the dogs . so a cat see the dogs . now"));
  EXPECT_EQ(score.sentences, 2);
  EXPECT_EQ(score.legal_sentences, 1);
  EXPECT_EQ(score.pairs, 14);
  EXPECT_EQ(score.legal_pairs, 13);
  const std::vector<std::int64_t> text = sample(3000);
  const GrammarScore all = score_grammar(text);
  EXPECT_EQ(all.sentences, all.legal_sentences);
  EXPECT_EQ(all.pairs, all.legal_pairs);
}

TEST(Grammar, SameSeedSameText) {
  EXPECT_EQ(sample(500), sample(500));
  Generator other(2, "grammar_test");
  EXPECT_NE(draw_grammar(500, other), sample(500));
  EXPECT_EQ(grammar_text(std::vector<std::int64_t>{0, 6, 12}), "so a cat");
}

}  // namespace
}  // namespace gradwalk::tasks
