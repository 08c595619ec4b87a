#include "nn/tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "nn/files/utf8.h"
#include "nn/tokenizer/parts.h"

namespace gradwalk::nn {
namespace {

void sort_for_search(std::vector<AddedToken>& tokens) {
  std::stable_sort(tokens.begin(), tokens.end(), [](const AddedToken& a, const AddedToken& b) {
    return a.content.size() > b.content.size();
  });
}

// Calls on_text(text) and on_token(token) for the parts of a text, in order. The tokens are sorted,
// longest first.
template <class OnText, class OnToken>
void split_at(const std::vector<AddedToken>& tokens, std::string_view text, OnText on_text,
              OnToken on_token) {
  bool begins[256] = {};
  for (const AddedToken& token : tokens)
    begins[static_cast<std::uint8_t>(token.content.front())] = true;
  std::size_t begin = 0;
  for (std::size_t i = 0; !tokens.empty() && i < text.size();) {
    const auto found =
        !begins[static_cast<std::uint8_t>(text[i])]
            ? tokens.end()
            : std::find_if(tokens.begin(), tokens.end(), [&](const AddedToken& token) {
                return text.substr(i).starts_with(token.content);
              });
    if (found == tokens.end()) {
      ++i;
      continue;
    }
    if (begin < i) on_text(text.substr(begin, i - begin));
    on_token(*found);
    begin = i += found->content.size();
  }
  if (begin < text.size()) on_text(text.substr(begin));
}

}  // namespace

struct Tokenizer::State {
  explicit State(TokenizerParts all);
  void encode_normalized(std::string_view text, std::vector<std::int64_t>& ids) const;

  TokenizerParts parts;
  std::vector<AddedToken> raw_added, normalized_added;
  std::vector<std::int64_t> special_ids;  // sorted
};

Tokenizer::State::State(TokenizerParts all) : parts(std::move(all)) {
  for (AddedToken token : parts.added) {
    if (token.special) special_ids.push_back(token.id);
    if (token.normalized) token.content = normalize(parts.normalizers, token.content);
    if (!token.content.empty())
      (token.normalized ? normalized_added : raw_added).push_back(std::move(token));
  }
  sort_for_search(raw_added);
  sort_for_search(normalized_added);
  const SpecialIds& special = parts.special;
  for (const auto id : {special.bos, special.eos, special.cls, special.sep, special.pad,
                        special.unk, special.mask}) {
    if (id) special_ids.push_back(*id);
  }
  std::sort(special_ids.begin(), special_ids.end());
}

void Tokenizer::State::encode_normalized(std::string_view text,
                                         std::vector<std::int64_t>& ids) const {
  split_at(
      normalized_added, text,
      [&](std::string_view part) {
        for (const std::string_view piece : pre_tokenize(parts.pre_tokenizer, part))
          parts.model->encode(piece, ids);
      },
      [&](const AddedToken& token) { ids.push_back(token.id); });
}

Tokenizer::Tokenizer(TokenizerParts parts)
    : state_(std::make_shared<const State>(std::move(parts))) {}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text,
                                            const EncodeOptions& options) const {
  const TokenizerParts& parts = state_->parts;
  std::vector<std::int64_t> ids;
  if (options.special_tokens) ids = parts.before;
  split_at(
      state_->raw_added, text,
      [&](std::string_view part) {
        state_->encode_normalized(normalize(parts.normalizers, part), ids);
      },
      [&](const AddedToken& token) { ids.push_back(token.id); });
  if (options.special_tokens) ids.insert(ids.end(), parts.after.begin(), parts.after.end());
  return ids;
}

std::int64_t Tokenizer::vocab_size() const { return state_->parts.vocabulary->size(); }

const std::string& Tokenizer::token(std::int64_t id) const {
  return state_->parts.vocabulary->token(id);
}

std::optional<std::int64_t> Tokenizer::id(std::string_view token) const {
  return state_->parts.vocabulary->id(token);
}

const SpecialIds& Tokenizer::special() const { return state_->parts.special; }

std::string Tokenizer::decode(std::span<const std::int64_t> ids) const {
  TextStream stream(*this);
  std::string text;
  for (const std::int64_t id : ids) text += stream.add(id, "decode");
  return text += stream.finish();
}

bool Tokenizer::is_special(std::int64_t id) const {
  return std::binary_search(state_->special_ids.begin(), state_->special_ids.end(), id);
}

TextStream::TextStream(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) { finish(); }

std::string TextStream::add(std::int64_t id, const char* op) {
  const TokenizerParts& parts = tokenizer_->state_->parts;
  const std::string& token = parts.vocabulary->token(id, op);
  if (tokenizer_->is_special(id)) {
    if (parts.decoder.strip == Decoder::Strip::kAfterBos && id == parts.special.bos)
      to_strip_ = parts.decoder.strip_count;
    return "";
  }
  pending_ += parts.decoder.piece(token, std::exchange(first_, false));
  return take(/*all=*/false);
}

std::string TextStream::finish() {
  std::string rest = take(/*all=*/true);
  const Decoder& decoder = tokenizer_->state_->parts.decoder;
  first_ = true;
  to_strip_ = decoder.strip == Decoder::Strip::kAtStart ? decoder.strip_count : 0;
  return rest;
}

std::string TextStream::take(bool all) {
  std::string text;
  std::size_t done = 0;
  while (done < pending_.size()) {
    const Utf8Step step = utf8_step(pending_, done);
    if (step.cut && !all) break;
    append_utf8(text, step.code);
    done += step.length;
  }
  pending_.erase(0, done);

  const std::string& stripped = tokenizer_->state_->parts.decoder.stripped;
  std::size_t begin = 0;
  for (; to_strip_ > 0 && begin < text.size(); --to_strip_) {
    if (std::string_view(text).substr(begin).starts_with(stripped)) {
      begin += stripped.size();
    } else {
      to_strip_ = 1;  // other text has begun
    }
  }
  return text.erase(0, begin);
}

}  // namespace gradwalk::nn
