#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nn/tokenizer/model.h"
#include "nn/tokenizer/vocabulary.h"

namespace gradwalk::nn {

struct WordPieceOptions {
  std::int64_t unknown = 0;           ///< stands for a word that cannot be cut into tokens
  std::string continuation = "##";    ///< begins the tokens that go on inside a word
  std::int64_t max_characters = 100;  ///< a longer word is unknown
};

/// WordPiece: a word is cut from left to right, each time at the longest token that fits.
///
/// Source  Wu et al. 2016, section 4.1; Devlin et al. 2019, section 4 (A.2)
class WordPiece : public TokenModel {
 public:
  WordPiece(std::shared_ptr<const Vocabulary> vocabulary, WordPieceOptions options);

  void encode(std::string_view piece, std::vector<std::int64_t>& ids) const override;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  WordPieceOptions options_;
  std::size_t longest_ = 0;  // bytes of the longest token: no candidate need be longer
};

}  // namespace gradwalk::nn
