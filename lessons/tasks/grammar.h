#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/random.h"

/// Task G: a little language of 40 words whose grammar is known to the last bit, so that what a
/// model can learn, and whether it did, need no opinion.
///
///   sentence = topic  NP  verb  NP  [ ","  topic again ]  mark
///   NP       = determiner  [ adjective ]  noun
///
///   why a shy fox likes the cats , why ?
///
/// What depends on what:
///   noun    its number is the determiner's: `a` singular, `the` plural   (one or two words back)
///   verb    number of the subject; which noun it was allows two verbs    (one word back)
///   echo    the topic of this sentence                                   (seven or more back)
///   mark    the topic decides it: so now `.`, why how `?`, oh wow `!`
///   topic   one of four that the mark before it allows
namespace gradwalk::tasks {

inline constexpr std::int64_t kGrammarWords = 40;

enum class GrammarKind { kTopic, kDeterminer, kAdjective, kNoun, kVerb, kComma, kMark };
inline constexpr int kGrammarKinds = 7;

/// @throws std::out_of_range unless 0 <= id < 40, as all functions of an id do
const char* grammar_word(std::int64_t id);
GrammarKind grammar_kind(std::int64_t id);
const char* name(GrammarKind kind);  ///< "topic", "determiner", ...

/// Words with a blank between them.
std::string grammar_text(std::span<const std::int64_t> ids);

/// A text of `tokens` words, sentence after sentence; the last may be cut. The choices that are
/// free are uniform, an adjective comes with probability 1/3, the echo with 1/2.
std::vector<std::int64_t> draw_grammar(std::int64_t tokens, Generator& generator);

/// Reads a text from the start of a sentence and knows at each word what may come next.
class GrammarReader {
 public:
  /// The probability of each word, [40], given all that was read.
  std::vector<double> next() const;

  /// Can the word come next? If not, nothing was read.
  bool read(std::int64_t id);

  /// Is the next word the first of a sentence?
  bool at_start() const { return at_ == At::kTopic; }

 private:
  enum class At {
    kTopic,
    kDeterminer,  // of subject or object
    kNounPhrase,  // an adjective or the noun
    kNoun,
    kVerb,
    kEnd,  // comma or mark
    kEcho,
    kMark
  };

  At at_ = At::kTopic;
  bool object_ = false;      // the noun phrase is the second
  std::int64_t topic_ = -1;  // of this sentence
  std::int64_t group_ = -1;  // of the last mark: 0, 1, 2; -1 before the first
  std::int64_t number_ = 0;  // of the last determiner
  std::int64_t noun_ = 0;    // the last one's stem
};

/// Is it one whole sentence, from topic to mark?
bool is_grammar_sentence(std::span<const std::int64_t> ids);

/// Can `second` follow `first` somewhere in a text?
bool is_grammar_pair(std::int64_t first, std::int64_t second);

/// How much of a text is right.
struct GrammarScore {
  std::int64_t sentences = 0;  ///< that begin after a mark (or at the start) and end with one
  std::int64_t legal_sentences = 0;
  std::int64_t pairs = 0;
  std::int64_t legal_pairs = 0;
};
/// @param ids  any words; where it begins counts as the start of a sentence
GrammarScore score_grammar(std::span<const std::int64_t> ids);

/// One word of a legal text, and what it hangs on.
struct GrammarPlace {
  GrammarKind kind = GrammarKind::kTopic;
  bool echo = false;                ///< a topic that is said again
  std::int64_t sentence_start = 0;  ///< where the topic of its sentence stands
  /// The earlier word that limits this one: a noun's determiner, a verb's subject, the topic of
  /// an echo or a mark, the mark before a topic; -1: none.
  std::int64_t source = -1;
};
/// @throws std::invalid_argument that names the first word that the grammar does not allow
std::vector<GrammarPlace> parse_grammar(std::span<const std::int64_t> ids);

/// What the grammar itself says, by algebra.
struct GrammarEntropy {
  double words_per_sentence;  ///< mean, 26/3
  double nats_per_sentence;   ///< ln 4 + 2 H(NP) + 2 ln 2
  double nats_per_word;       ///< no model can have a lower loss on long texts
};
GrammarEntropy grammar_entropy();

}  // namespace gradwalk::tasks
