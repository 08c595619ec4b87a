#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "nn/tokenizer/bpe.h"
#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/parts.h"

namespace gradwalk::nn {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is read as it lies in memory");

constexpr std::int64_t kUnknown = 0, kBos = 1, kEos = 2, kFirstByte = 3,
                       kFirstText = kFirstByte + 256;
// Finding all ways to join a token takes the square of its length.
constexpr std::int32_t kLongestToken = 1024;

struct ScoredTokens {
  std::vector<std::string> tokens;
  std::vector<float> scores;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  std::string_view take(std::size_t count, const std::string& what) {
    if (rest_.size() < count)
      throw std::runtime_error(fmt::format("the file ends inside {}", what));
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T number(const std::string& what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::string_view rest_;
};

ScoredTokens read_tokens(std::string_view bytes) {
  Reader reader(bytes);
  const auto longest = reader.number<std::int32_t>("the length of the longest token");
  if (longest < 1 || longest > kLongestToken) {
    throw std::runtime_error(fmt::format("expected the longest token to have 1 to {} bytes, got {}",
                                         kLongestToken, longest));
  }
  ScoredTokens result;
  while (!reader.done()) {
    const std::string what = fmt::format("token {}", result.tokens.size());
    const auto score = reader.number<float>(what);
    const auto length = reader.number<std::int32_t>(what);
    if (std::isnan(score)) throw std::runtime_error(fmt::format("the score of {} is NaN", what));
    if (length < 0 || length > longest) {
      throw std::runtime_error(
          fmt::format("expected {} to have 0 to {} bytes, got {}", what, longest, length));
    }
    result.scores.push_back(score);
    result.tokens.emplace_back(reader.take(static_cast<std::size_t>(length), what));
  }
  if (std::ssize(result.tokens) < kFirstText) {
    throw std::runtime_error(
        fmt::format("expected at least {} tokens, got {}", kFirstText, result.tokens.size()));
  }
  for (std::int64_t id = kFirstByte; id < kFirstText; ++id) {
    const std::string byte = byte_token(static_cast<std::uint8_t>(id - kFirstByte));
    const std::string& token = result.tokens[static_cast<std::size_t>(id)];
    if (token != byte)
      throw std::runtime_error(
          fmt::format("expected token {} to be {}, got '{}'", id, byte, token));
  }
  return result;
}

// Every way to join two tokens to a third. Equal scores have equal ranks, so that the leftmost pair
// wins.
BpeMerges merges_by_score(const Vocabulary& vocabulary, const std::vector<float>& scores) {
  std::vector<float> order = scores;
  std::sort(order.begin(), order.end(), std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  BpeMerges merges;
  for (std::int64_t id = kFirstText; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token(id);
    if (vocabulary.id(token) != id) continue;  // a second copy is never used
    const auto place = std::lower_bound(order.begin(), order.end(),
                                        scores[static_cast<std::size_t>(id)], std::greater<>());
    const auto rank = static_cast<std::uint32_t>(place - order.begin());
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      const auto left = vocabulary.id(token.substr(0, cut));
      if (!left || *left < kFirstText) continue;
      const auto right = vocabulary.id(token.substr(cut));
      if (right && *right >= kFirstText)
        merges.add(*left, *right, {rank, static_cast<std::uint32_t>(id)});
    }
  }
  return merges;
}

}  // namespace

Tokenizer tokenizer_from_scores(std::string_view bytes) {
  ScoredTokens read = read_tokens(bytes);
  TokenizerParts parts;
  parts.vocabulary = std::make_shared<const Vocabulary>(std::move(read.tokens));
  parts.model =
      std::make_shared<const Bpe>(parts.vocabulary, merges_by_score(*parts.vocabulary, read.scores),
                                  BpeOptions{.unknown = kUnknown, .byte_fallback = true});
  parts.normalizers = {Prepend{" "}};
  parts.before = {kBos};
  parts.decoder.byte_fallback = true;
  parts.decoder.strip = Decoder::Strip::kAfterBos;
  parts.decoder.stripped = " ";
  parts.decoder.strip_count = 1;
  parts.special.unk = kUnknown;
  parts.special.bos = kBos;
  parts.special.eos = kEos;
  return Tokenizer(std::move(parts));
}

}  // namespace gradwalk::nn
