#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::nn {

/// Ids of tokens that stand for no text, as far as a vocabulary has them.
struct SpecialIds {
  std::optional<std::int64_t> bos, eos, cls, sep, pad, unk, mask;
};

struct TokenizerParts;

struct EncodeOptions {
  /// Put the ids around the text that the model was trained with: BOS, or [CLS] and [SEP].
  bool special_tokens = true;
};

/// Text to token ids and back.
///
/// encode: added tokens are found (the leftmost, the longest on ties); what is between them is
/// normalised and cut into pieces, and the model (BPE or WordPiece) cuts each piece into tokens;
/// the special ids go around the whole. decode: special tokens are left out, and the decoder joins
/// the others. The result is always valid UTF-8: each byte that is part of no character becomes
/// U+FFFD.
class Tokenizer {
 public:
  /// By the readers of formats (formats.h), from what parts.h describes.
  explicit Tokenizer(TokenizerParts parts);

  /// @throws std::out_of_range for a character that the vocabulary has no way to write
  std::vector<std::int64_t> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// @throws std::out_of_range for an id that is not in the vocabulary
  std::string decode(std::span<const std::int64_t> ids) const;

  std::int64_t vocab_size() const;
  /// As the vocabulary spells it. @throws std::out_of_range
  const std::string& token(std::int64_t id) const;
  std::optional<std::int64_t> id(std::string_view token) const;
  const SpecialIds& special() const;
  bool is_special(std::int64_t id) const;

 private:
  friend class TextStream;

  struct State;

  std::shared_ptr<const State> state_;  // copies share it: nothing changes it
};

/// Decoding token by token, for text that is shown while it is generated: what add() and finish()
/// return makes up what decode() gives for all ids. For the continuation of a prompt, add the
/// prompt's ids first.
class TextStream {
 public:
  /// The tokenizer must outlive the stream.
  explicit TextStream(const Tokenizer& tokenizer);

  /// The text that is complete with this token; the bytes of an unfinished character are held back.
  /// @throws std::out_of_range
  std::string add(std::int64_t id) { return add(id, "TextStream"); }
  /// What was held back, as U+FFFD. The stream then begins anew.
  std::string finish();

 private:
  friend class Tokenizer;

  std::string add(std::int64_t id, const char* op);
  std::string take(bool all);

  const Tokenizer* tokenizer_;
  std::string pending_;
  bool first_ = true;
  std::size_t to_strip_ = 0;
};

/// The file of a folder that holds its tokenizer: tokenizer.json (BPE, WordPiece), else vocab.txt
/// (BERT's WordPiece), else tokenizer.bin or the one file tok*.bin (BPE with scores, of llama2.c);
/// none if none is there.
/// @param op  the function that errors name
/// @throws std::runtime_error if there are two files tok*.bin
std::optional<std::filesystem::path> find_tokenizer(const std::filesystem::path& folder,
                                                    const char* op = "find_tokenizer");

/// The tokenizer at a path: a folder as find_tokenizer searches it, or one of those files by its
/// ending. Beside the first two kinds, tokenizer_config.json and special_tokens_map.json say which
/// tokens are BOS, EOS and so on.
///
/// @throws std::runtime_error that names the file and what is wrong with it, or the part of it that
/// is not supported
Tokenizer load_tokenizer(const std::filesystem::path& path);

}  // namespace gradwalk::nn
