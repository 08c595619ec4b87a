#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "nn/tokenizer/model.h"
#include "nn/tokenizer/vocabulary.h"

namespace gradwalk::nn {

/// Which neighbours may become one token, and which go first.
class BpeMerges {
 public:
  struct Merge {
    std::uint32_t rank;  ///< the smallest goes first
    std::uint32_t id;    ///< the token that the two become
  };

  /// A pair that is added again takes the later merge.
  void add(std::int64_t left, std::int64_t right, Merge merge);
  const Merge* find(std::uint32_t left, std::uint32_t right) const;
  bool empty() const { return merges_.empty(); }

 private:
  std::unordered_map<std::uint64_t, Merge> merges_;  // of left * 2^32 + right
};

struct BpeOptions {
  /// Stands for a character that is not in the vocabulary.
  std::optional<std::int64_t> unknown = std::nullopt;
  bool fuse_unknown = false;  ///< neighbouring unknown characters are one token
  /// Before that: the tokens of the character's bytes, <0x00> ... <0xFF>, if all of them are there.
  bool byte_fallback = false;
};

/// Byte-pair encoding.
///
/// A piece begins as one token for each character. Then, again and again, of all neighbours that
/// may merge the pair with the smallest rank does, the leftmost on ties. A queue of pairs over a
/// linked list of tokens makes that O(n log n) for n characters; so a whole text may be one piece.
///
/// Bytes that are not UTF-8 count as characters of one byte, which no vocabulary has.
///
/// @throws std::out_of_range from encode for a character that is not in the vocabulary, if there is
/// no other way
/// Source  Sennrich, Haddow, Birch 2016, section 3.2
class Bpe : public TokenModel {
 public:
  Bpe(std::shared_ptr<const Vocabulary> vocabulary, BpeMerges merges, const BpeOptions& options);

  void encode(std::string_view piece, std::vector<std::int64_t>& ids) const override;

 private:
  std::vector<std::uint32_t> characters(std::string_view piece) const;
  bool append_bytes(std::string_view character, std::vector<std::uint32_t>& ids) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  BpeMerges merges_;
  BpeOptions options_;
  std::array<std::optional<std::uint32_t>, 256> byte_ids_;
};

/// How vocabularies spell a byte: <0x0A>.
std::string byte_token(std::uint8_t byte);
/// The byte that a token spells, if it does.
std::optional<std::uint8_t> byte_of_token(std::string_view token);

}  // namespace gradwalk::nn
