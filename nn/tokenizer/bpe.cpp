#include "nn/tokenizer/bpe.h"

#include <fmt/format.h>

#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "nn/files/utf8.h"

namespace gradwalk::nn {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::uint64_t pair_key(std::uint32_t left, std::uint32_t right) {
  return std::uint64_t{left} << 32 | right;
}

struct Symbol {
  std::uint32_t id, previous, next;  // id is kNone once the symbol has gone into the one before it
};

struct Candidate {
  std::uint32_t rank, position, left, right;

  bool operator<(const Candidate& other) const {  // a priority_queue hands out the greatest
    return std::pair(rank, position) > std::pair(other.rank, other.position);
  }
};

// The tokens of a piece while they merge.
class MergeList {
 public:
  MergeList(const std::vector<std::uint32_t>& ids, const BpeMerges& merges) : merges_(merges) {
    const auto count = static_cast<std::uint32_t>(ids.size());
    symbols_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      symbols_.push_back({ids[i], i == 0 ? kNone : i - 1, i + 1 == count ? kNone : i + 1});
    }
    for (std::uint32_t i = 0; i < count; ++i) propose(i);
  }

  void run() {
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      if (still_there(best)) merge(best);
    }
  }

  void append_to(std::vector<std::int64_t>& ids) const {
    for (std::uint32_t i = 0; i != kNone && i < symbols_.size(); i = symbols_[i].next)
      ids.push_back(symbols_[i].id);
  }

 private:
  void propose(std::uint32_t position) {
    const Symbol& left = symbols_[position];
    if (left.next == kNone) return;
    const std::uint32_t right = symbols_[left.next].id;
    if (const BpeMerges::Merge* merge = merges_.find(left.id, right)) {
      candidates_.push({merge->rank, position, left.id, right});
    }
  }

  // Candidates are not taken out of the queue when a neighbour merges away; here the stale ones
  // show.
  bool still_there(const Candidate& pair) const {
    const Symbol& left = symbols_[pair.position];
    return left.id == pair.left && left.next != kNone && symbols_[left.next].id == pair.right;
  }

  void merge(const Candidate& pair) {
    Symbol& left = symbols_[pair.position];
    Symbol& right = symbols_[left.next];
    left.id = merges_.find(pair.left, pair.right)->id;
    left.next = right.next;
    right.id = kNone;
    if (left.next != kNone) symbols_[left.next].previous = pair.position;
    if (left.previous != kNone) propose(left.previous);
    propose(pair.position);
  }

  const BpeMerges& merges_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

void BpeMerges::add(std::int64_t left, std::int64_t right, Merge merge) {
  merges_.insert_or_assign(
      pair_key(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right)), merge);
}

const BpeMerges::Merge* BpeMerges::find(std::uint32_t left, std::uint32_t right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

Bpe::Bpe(std::shared_ptr<const Vocabulary> vocabulary, BpeMerges merges, const BpeOptions& options)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), options_(options) {
  if (!options_.byte_fallback) return;
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    if (const auto id = vocabulary_->id(byte_token(static_cast<std::uint8_t>(byte)))) {
      byte_ids_[byte] = static_cast<std::uint32_t>(*id);
    }
  }
}

void Bpe::encode(std::string_view piece, std::vector<std::int64_t>& ids) const {
  if (piece.size() >= kNone) throw std::length_error("encode: expected a text of less than 4 GiB");
  const std::vector<std::uint32_t> single = characters(piece);
  if (merges_.empty()) {
    ids.insert(ids.end(), single.begin(), single.end());
    return;
  }
  MergeList list(single, merges_);
  list.run();
  list.append_to(ids);
}

std::vector<std::uint32_t> Bpe::characters(std::string_view piece) const {
  std::vector<std::uint32_t> ids;
  bool after_unknown = false;
  for (std::size_t i = 0; i < piece.size();) {
    const Utf8Step step = utf8_step(piece, i);
    const std::string_view character = piece.substr(i, step.length);
    const auto id = step.valid ? vocabulary_->id(character) : std::nullopt;
    if (id) {
      ids.push_back(static_cast<std::uint32_t>(*id));
      after_unknown = false;
    } else if (append_bytes(character, ids)) {
      after_unknown = false;
    } else if (options_.unknown) {
      if (!after_unknown || !options_.fuse_unknown)
        ids.push_back(static_cast<std::uint32_t>(*options_.unknown));
      after_unknown = true;
    } else {
      const auto what = step.valid ? fmt::format("'{}' ({})", character, code_point_name(step.code))
                                   : fmt::format("byte 0x{:02X}, no UTF-8,",
                                                 static_cast<std::uint8_t>(character.front()));
      throw std::out_of_range(fmt::format(
          "encode: {} at byte {} is not in the vocabulary, which has no token for what is unknown",
          what, i));
    }
    i += step.length;
  }
  return ids;
}

bool Bpe::append_bytes(std::string_view character, std::vector<std::uint32_t>& ids) const {
  const auto id_of = [this](char c) { return byte_ids_[static_cast<std::uint8_t>(c)]; };
  for (const char c : character) {
    if (!id_of(c)) return false;
  }
  for (const char c : character) ids.push_back(*id_of(c));
  return true;
}

std::string byte_token(std::uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<std::uint8_t> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : token.substr(3, 2)) {
    const auto digit = std::string_view("0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return static_cast<std::uint8_t>(value);
}

}  // namespace gradwalk::nn
