#include "lessons/tasks/grammar.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace gradwalk::tasks {
namespace {

constexpr std::int64_t kTopics = 6;
constexpr std::int64_t kAdjectives = 4;
constexpr std::int64_t kStems = 6;  // of nouns, and of verbs
constexpr std::int64_t kFirstDeterminer = kTopics;
constexpr std::int64_t kFirstAdjective = kFirstDeterminer + 2;
constexpr std::int64_t kFirstNoun = kFirstAdjective + kAdjectives;
constexpr std::int64_t kFirstVerb = kFirstNoun + 2 * kStems;
constexpr std::int64_t kComma = kFirstVerb + 2 * kStems;
constexpr std::int64_t kFirstMark = kComma + 1;

constexpr std::array<const char*, kGrammarWords> kWords = {
    "so",     "now",   "why",   "how",  "oh",    "wow",                                      //
    "a",      "the",                                                                         //
    "big",    "old",   "shy",   "wet",                                                       //
    "cat",    "cats",  "dog",   "dogs", "fox",   "foxes", "hen",   "hens", "cow",   "cows",  //
    "pig",    "pigs",                                                                        //
    "sees",   "see",   "hears", "hear", "likes", "like",  "feeds", "feed", "calls", "call",  //
    "chases", "chase",                                                                       //
    ",",      ".",     "?",     "!"};

std::int64_t checked(std::int64_t id) {
  if (id < 0 || id >= kGrammarWords) {
    throw std::out_of_range(
        fmt::format("grammar: expected ids in [0, {}), got {}", kGrammarWords, id));
  }
  return id;
}

std::int64_t noun(std::int64_t stem, std::int64_t number) { return kFirstNoun + 2 * stem + number; }
std::int64_t verb(std::int64_t stem, std::int64_t number) { return kFirstVerb + 2 * stem + number; }
std::int64_t mark_of(std::int64_t topic) { return kFirstMark + topic / 2; }
// The r-th of the four topics that may follow a mark.
std::int64_t topic_after(std::int64_t mark, std::int64_t r) {
  return (2 * (mark - kFirstMark) + r) % kTopics;
}

struct NounPhrase {
  std::int64_t stem, number;
};

NounPhrase write_noun_phrase(std::vector<std::int64_t>& text, Generator& generator) {
  const std::int64_t number = generator.below(2);
  text.push_back(kFirstDeterminer + number);
  if (generator.below(3) == 0) text.push_back(kFirstAdjective + generator.below(kAdjectives));
  const std::int64_t stem = generator.below(kStems);
  text.push_back(noun(stem, number));
  return {stem, number};
}

void write_sentence(std::vector<std::int64_t>& text, Generator& generator) {
  const std::int64_t topic =
      text.empty() ? generator.below(kTopics) : topic_after(text.back(), generator.below(4));
  text.push_back(topic);
  const NounPhrase subject = write_noun_phrase(text, generator);
  text.push_back(verb((subject.stem + generator.below(2)) % kStems, subject.number));
  write_noun_phrase(text, generator);
  if (generator.below(2) == 0) text.insert(text.end(), {kComma, topic});
  text.push_back(mark_of(topic));
}

}  // namespace

const char* grammar_word(std::int64_t id) { return kWords[static_cast<std::size_t>(checked(id))]; }

GrammarKind grammar_kind(std::int64_t id) {
  checked(id);
  if (id < kFirstDeterminer) return GrammarKind::kTopic;
  if (id < kFirstAdjective) return GrammarKind::kDeterminer;
  if (id < kFirstNoun) return GrammarKind::kAdjective;
  if (id < kFirstVerb) return GrammarKind::kNoun;
  if (id < kComma) return GrammarKind::kVerb;
  return id == kComma ? GrammarKind::kComma : GrammarKind::kMark;
}

const char* name(GrammarKind kind) {
  constexpr std::array<const char*, kGrammarKinds> kNames = {
      "topic", "determiner", "adjective", "noun", "verb", "comma", "mark"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string grammar_text(std::span<const std::int64_t> ids) {
  std::string text;
  for (const std::int64_t id : ids) {
    if (!text.empty()) text += ' ';
    text += grammar_word(id);
  }
  return text;
}

std::vector<std::int64_t> draw_grammar(std::int64_t tokens, Generator& generator) {
  std::vector<std::int64_t> text;
  while (static_cast<std::int64_t>(text.size()) < tokens) write_sentence(text, generator);
  text.resize(static_cast<std::size_t>(tokens));
  return text;
}

std::vector<double> GrammarReader::next() const {
  std::vector<double> p(kGrammarWords, 0.0);
  const auto set = [&](std::int64_t id, double value) { p[static_cast<std::size_t>(id)] = value; };
  switch (at_) {
    case At::kTopic:
      if (group_ < 0) {
        for (std::int64_t t = 0; t < kTopics; ++t) set(t, 1.0 / kTopics);
      } else {
        for (std::int64_t r = 0; r < 4; ++r) set(topic_after(kFirstMark + group_, r), 1.0 / 4);
      }
      break;
    case At::kDeterminer:
      for (std::int64_t number = 0; number < 2; ++number) set(kFirstDeterminer + number, 1.0 / 2);
      break;
    case At::kNounPhrase:
      for (std::int64_t a = 0; a < kAdjectives; ++a) {
        set(kFirstAdjective + a, 1.0 / 3 / kAdjectives);
      }
      for (std::int64_t i = 0; i < kStems; ++i) set(noun(i, number_), 2.0 / 3 / kStems);
      break;
    case At::kNoun:
      for (std::int64_t i = 0; i < kStems; ++i) set(noun(i, number_), 1.0 / kStems);
      break;
    case At::kVerb:
      for (std::int64_t i = 0; i < 2; ++i) set(verb((noun_ + i) % kStems, number_), 1.0 / 2);
      break;
    case At::kEnd:
      set(kComma, 1.0 / 2);
      set(mark_of(topic_), 1.0 / 2);
      break;
    case At::kEcho:
      set(topic_, 1);
      break;
    case At::kMark:
      set(mark_of(topic_), 1);
      break;
  }
  return p;
}

bool GrammarReader::read(std::int64_t id) {
  if (next()[static_cast<std::size_t>(checked(id))] == 0) return false;
  switch (grammar_kind(id)) {
    case GrammarKind::kTopic:
      at_ = at_ == At::kEcho ? At::kMark : At::kDeterminer;
      topic_ = id;
      break;
    case GrammarKind::kDeterminer:
      at_ = At::kNounPhrase;
      number_ = id - kFirstDeterminer;
      break;
    case GrammarKind::kAdjective:
      at_ = At::kNoun;
      break;
    case GrammarKind::kNoun:
      at_ = object_ ? At::kEnd : At::kVerb;
      noun_ = (id - kFirstNoun) / 2;
      break;
    case GrammarKind::kVerb:
      at_ = At::kDeterminer;
      object_ = true;
      break;
    case GrammarKind::kComma:
      at_ = At::kEcho;
      break;
    case GrammarKind::kMark:
      at_ = At::kTopic;
      object_ = false;
      group_ = id - kFirstMark;
      break;
  }
  return true;
}

bool is_grammar_sentence(std::span<const std::int64_t> ids) {
  GrammarReader reader;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && reader.at_start()) return false;
    if (!reader.read(ids[i])) return false;
  }
  return !ids.empty() && reader.at_start();
}

bool is_grammar_pair(std::int64_t first, std::int64_t second) {
  const GrammarKind to = grammar_kind(second);
  switch (grammar_kind(first)) {
    case GrammarKind::kTopic:
      return to == GrammarKind::kDeterminer || second == mark_of(first);
    case GrammarKind::kDeterminer:
      return to == GrammarKind::kAdjective ||
             (to == GrammarKind::kNoun && (second - kFirstNoun) % 2 == first - kFirstDeterminer);
    case GrammarKind::kAdjective:
      return to == GrammarKind::kNoun;
    case GrammarKind::kNoun: {
      const std::int64_t stem = (first - kFirstNoun) / 2;
      const std::int64_t number = (first - kFirstNoun) % 2;
      return to == GrammarKind::kComma || to == GrammarKind::kMark ||
             second == verb(stem, number) || second == verb((stem + 1) % kStems, number);
    }
    case GrammarKind::kVerb:
      return to == GrammarKind::kDeterminer;
    case GrammarKind::kComma:
      return to == GrammarKind::kTopic;
    case GrammarKind::kMark:
      for (std::int64_t r = 0; r < 4; ++r) {
        if (second == topic_after(first, r)) return true;
      }
      return false;
  }
  return false;
}

GrammarScore score_grammar(std::span<const std::int64_t> ids) {
  GrammarScore score;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) {
      ++score.pairs;
      if (is_grammar_pair(ids[i - 1], ids[i])) ++score.legal_pairs;
    }
    if (grammar_kind(ids[i]) != GrammarKind::kMark) continue;
    ++score.sentences;
    if (is_grammar_sentence(ids.subspan(begin, i + 1 - begin))) ++score.legal_sentences;
    begin = i + 1;
  }
  return score;
}

std::vector<GrammarPlace> parse_grammar(std::span<const std::int64_t> ids) {
  std::vector<GrammarPlace> places;
  GrammarReader reader;
  std::int64_t start = 0, determiner = -1, last_noun = -1;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(ids.size()); ++at) {
    const std::int64_t id = ids[static_cast<std::size_t>(at)];
    const bool first = reader.at_start();
    if (!reader.read(id)) {
      throw std::invalid_argument(fmt::format(
          "parse_grammar: expected a text of the grammar, got {} at {}", grammar_word(id), at));
    }
    GrammarPlace place{.kind = grammar_kind(id)};
    switch (place.kind) {
      case GrammarKind::kTopic:
        place.echo = !first;
        place.source = first ? at - 1 : start;  // at -1 before the first mark
        if (first) start = at;
        break;
      case GrammarKind::kDeterminer:
        determiner = at;
        break;
      case GrammarKind::kNoun:
        place.source = determiner;
        last_noun = at;
        break;
      case GrammarKind::kVerb:
        place.source = last_noun;
        break;
      case GrammarKind::kMark:
        place.source = start;
        break;
      case GrammarKind::kAdjective:
      case GrammarKind::kComma:
        break;
    }
    place.sentence_start = start;
    places.push_back(place);
  }
  return places;
}

GrammarEntropy grammar_entropy() {
  const double has_adjective = std::log(3.0) - 2.0 / 3 * std::log(2.0);  // of (1/3, 2/3)
  const double noun_phrase =
      std::log(2.0) + has_adjective + std::log(double{kAdjectives}) / 3 + std::log(double{kStems});
  const double sentence = std::log(4.0) + 2 * noun_phrase + 2 * std::log(2.0);
  const double words = 1 + 2 * (2 + 1.0 / 3) + 1 + 2 * 0.5 + 1;
  return {words, sentence, sentence / words};
}

}  // namespace gradwalk::tasks
