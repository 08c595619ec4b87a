#include "nn/tokenizer/wordpiece.h"

#include <algorithm>
#include <utility>

#include "nn/files/utf8.h"

namespace gradwalk::nn {
namespace {

// Where characters begin, and the end of the word.
std::vector<std::size_t> boundaries(std::string_view word) {
  std::vector<std::size_t> result{0};
  while (result.back() < word.size())
    result.push_back(result.back() + utf8_step(word, result.back()).length);
  return result;
}

}  // namespace

WordPiece::WordPiece(std::shared_ptr<const Vocabulary> vocabulary, WordPieceOptions options)
    : vocabulary_(std::move(vocabulary)), options_(std::move(options)) {
  for (std::int64_t id = 0; id < vocabulary_->size(); ++id) {
    longest_ = std::max(longest_, vocabulary_->token(id).size());
  }
}

void WordPiece::encode(std::string_view piece, std::vector<std::int64_t>& ids) const {
  const std::vector<std::size_t> at = boundaries(piece);
  const std::size_t count = at.size() - 1;
  const std::size_t before = ids.size();
  const auto give_up = [&] {
    ids.resize(before);
    ids.push_back(options_.unknown);
  };
  if (static_cast<std::int64_t>(count) > options_.max_characters) return give_up();

  std::string candidate;
  for (std::size_t begin = 0; begin < count;) {
    const std::string_view prefix = begin == 0 ? std::string_view() : options_.continuation;
    std::size_t end = begin;
    while (end < count && prefix.size() + at[end + 1] - at[begin] <= longest_) ++end;
    std::optional<std::int64_t> id;
    for (; end > begin; --end) {
      candidate = prefix;
      candidate += piece.substr(at[begin], at[end] - at[begin]);
      if ((id = vocabulary_->id(candidate))) break;
    }
    if (!id) return give_up();
    ids.push_back(*id);
    begin = end;
  }
}

}  // namespace gradwalk::nn
