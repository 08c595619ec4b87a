#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gradwalk::nn {

/// The heart of a tokenizer: cuts a piece of text into tokens of the vocabulary.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the ids of the piece's tokens.
  virtual void encode(std::string_view piece, std::vector<std::int64_t>& ids) const = 0;
};

}  // namespace gradwalk::nn
