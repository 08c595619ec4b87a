#include "nn/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace gradwalk::nn {

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  ids_.reserve(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    ids_.emplace(tokens_[i], static_cast<std::int64_t>(i));
  }
}

const std::string& Vocabulary::token(std::int64_t id, const char* op) const {
  if (id < 0 || id >= size()) {
    throw std::out_of_range(fmt::format("{}: expected an id in [0, {}), got {}", op, size(), id));
  }
  return tokens_[static_cast<std::size_t>(id)];
}

std::optional<std::int64_t> Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace gradwalk::nn
