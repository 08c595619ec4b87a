#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/tokenizer/decoder.h"
#include "nn/tokenizer/model.h"
#include "nn/tokenizer/text.h"
#include "nn/tokenizer/tokenizer.h"
#include "nn/tokenizer/vocabulary.h"

namespace gradwalk::nn {

/// A token that is found in the text itself, before it is cut up.
struct AddedToken {
  std::string content;
  std::int64_t id = 0;
  /// Looked for after the normalizers (which change `content` too), not before.
  bool normalized = false;
  bool special = false;  ///< decoding leaves it out
};

/// What a tokenizer is made of; each reader of a file format fills this in.
struct TokenizerParts {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<const TokenModel> model;
  std::vector<AddedToken> added;
  std::vector<Normalizer> normalizers;
  PreTokenizer pre_tokenizer = PreTokenizer::kNone;
  std::vector<std::int64_t> before, after;  ///< ids put around a text
  Decoder decoder;
  SpecialIds special;
};

}  // namespace gradwalk::nn
