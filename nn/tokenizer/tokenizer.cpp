#include "nn/tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "nn/files/utf8.h"

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

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
  for (AddedToken token : parts_.added) {
    if (token.special) special_ids_.push_back(token.id);
    if (token.normalized) token.content = normalize(parts_.normalizers, token.content);
    if (!token.content.empty())
      (token.normalized ? normalized_added_ : raw_added_).push_back(std::move(token));
  }
  sort_for_search(raw_added_);
  sort_for_search(normalized_added_);
  const SpecialIds& special = parts_.special;
  for (const auto id : {special.bos, special.eos, special.cls, special.sep, special.pad,
                        special.unk, special.mask}) {
    if (id) special_ids_.push_back(*id);
  }
  std::sort(special_ids_.begin(), special_ids_.end());
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text,
                                            const EncodeOptions& options) const {
  std::vector<std::int64_t> ids;
  if (options.special_tokens) ids = parts_.before;
  split_at(
      raw_added_, text,
      [&](std::string_view part) { encode_normalized(normalize(parts_.normalizers, part), ids); },
      [&](const AddedToken& token) { ids.push_back(token.id); });
  if (options.special_tokens) ids.insert(ids.end(), parts_.after.begin(), parts_.after.end());
  return ids;
}

void Tokenizer::encode_normalized(std::string_view text, std::vector<std::int64_t>& ids) const {
  split_at(
      normalized_added_, text,
      [&](std::string_view part) {
        for (const std::string_view piece : pre_tokenize(parts_.pre_tokenizer, part))
          parts_.model->encode(piece, ids);
      },
      [&](const AddedToken& token) { ids.push_back(token.id); });
}

std::string Tokenizer::decode(std::span<const std::int64_t> ids) const {
  TextStream stream(*this);
  std::string text;
  for (const std::int64_t id : ids) text += stream.add(id, "decode");
  return text += stream.finish();
}

bool Tokenizer::is_special(std::int64_t id) const {
  return std::binary_search(special_ids_.begin(), special_ids_.end(), id);
}

TextStream::TextStream(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) { finish(); }

std::string TextStream::add(std::int64_t id, const char* op) {
  const TokenizerParts& parts = tokenizer_->parts_;
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
  const Decoder& decoder = tokenizer_->parts_.decoder;
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

  const std::string& stripped = tokenizer_->parts_.decoder.stripped;
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
