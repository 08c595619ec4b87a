#include "nn/tokenizer/json_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "nn/tokenizer/bpe.h"
#include "nn/tokenizer/wordpiece.h"

namespace gradwalk::nn::tokenizer_json {
namespace {

// Tokens by id, with "" where none has come yet.
class TokenList {
 public:
  explicit TokenList(std::size_t size) : tokens_(size), set_(size, false) {}

  void set(const std::string& token, const Json& id, const std::string& where) {
    const std::int64_t value = id.is_number_integer() ? id.get<std::int64_t>() : -1;
    if (value < 0 || value >= std::ssize(tokens_) || set_[static_cast<std::size_t>(value)]) {
      fail(where, fmt::format("expected each id in [0, {}) once, and '{}' has another",
                              tokens_.size(), token));
    }
    tokens_[static_cast<std::size_t>(value)] = token;
    set_[static_cast<std::size_t>(value)] = true;
  }
  std::vector<std::string> take() { return std::move(tokens_); }

 private:
  std::vector<std::string> tokens_;
  std::vector<bool> set_;
};

std::pair<std::string, std::string> read_pair(const Json& merge, std::size_t index) {
  const std::string where = fmt::format("model.merges[{}]", index);
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  }
  if (!merge.is_string()) fail(where, "expected two tokens");
  const auto& line = merge.get_ref<const std::string&>();
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos) {
    fail(where, fmt::format("expected two tokens with a space between them, got '{}'", line));
  }
  return {line.substr(0, space), line.substr(space + 1)};
}

BpeMerges read_merges(const Json& model, const Vocabulary& vocabulary) {
  const Json& list = member(model, "merges", "model");
  if (!list.is_array()) fail("model.merges", "expected a list");
  BpeMerges merges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [left, right] = read_pair(list[i], i);
    const auto id_of = [&](const std::string& token) {
      const auto id = vocabulary.id(token);
      if (!id)
        fail(fmt::format("model.merges[{}]", i),
             fmt::format("'{}' is not in the vocabulary", token));
      return *id;
    };
    const std::int64_t left_id = id_of(left);
    const std::int64_t right_id = id_of(right);
    merges.add(left_id, right_id,
               {.rank = static_cast<std::uint32_t>(i),
                .id = static_cast<std::uint32_t>(id_of(left + right))});
  }
  return merges;
}

std::shared_ptr<const TokenModel> read_bpe(const Json& model,
                                           std::shared_ptr<const Vocabulary> vocabulary) {
  if (has(model, "dropout") && model.at("dropout") != 0.0) unsupported("model.dropout");
  for (const char* option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (has(model, option) && model.at(option) != "") unsupported(fmt::format("model.{}", option));
  }
  if (flag(model, "ignore_merges", false, "model")) unsupported("model.ignore_merges");
  const BpeOptions options{.unknown = read_unknown(model, *vocabulary),
                           .fuse_unknown = flag(model, "fuse_unk", false, "model"),
                           .byte_fallback = flag(model, "byte_fallback", false, "model")};
  BpeMerges merges = read_merges(model, *vocabulary);
  return std::make_shared<const Bpe>(std::move(vocabulary), std::move(merges), options);
}

std::shared_ptr<const TokenModel> read_word_piece(const Json& model,
                                                  std::shared_ptr<const Vocabulary> vocabulary) {
  const auto unknown = read_unknown(model, *vocabulary);
  if (!unknown) fail("model", "expected a member \"unk_token\"");
  WordPieceOptions options{.unknown = *unknown};
  if (has(model, "continuing_subword_prefix")) {
    options.continuation = text(model, "continuing_subword_prefix", "model");
  }
  if (has(model, "max_input_chars_per_word")) {
    options.max_characters = integer(model, "max_input_chars_per_word", "model");
  }
  return std::make_shared<const WordPiece>(std::move(vocabulary), std::move(options));
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const Json& whole) {
  std::vector<AddedToken> result;
  if (!has(whole, "added_tokens")) return result;
  const std::string where = "added_tokens";
  if (!whole.at(where).is_array()) fail(where, "expected a list");
  for (const Json& entry : whole.at(where)) {
    AddedToken token{.content = text(entry, "content", where), .id = integer(entry, "id", where)};
    token.special = flag(entry, "special", false, where);
    token.normalized = flag(entry, "normalized", !token.special, where);
    if (token.content.empty()) fail(where, "expected a content that is not empty");
    for (const char* option : {"single_word", "lstrip", "rstrip"}) {
      if (flag(entry, option, false, where))
        unsupported(fmt::format("added_tokens: '{}' with {}", token.content, option));
    }
    result.push_back(std::move(token));
  }
  return result;
}

Vocabulary read_vocabulary(const Json& model, const std::vector<AddedToken>& added) {
  const std::string where = "model.vocab";
  const Json& vocab = member(model, "vocab", "model");
  if (!vocab.is_object()) fail(where, "expected an object");
  std::vector<const AddedToken*> more;
  for (const AddedToken& token : added) {
    const auto found = vocab.find(token.content);
    if (found == vocab.end()) {
      more.push_back(&token);
    } else if (*found != token.id) {
      fail("added_tokens",
           fmt::format("'{}' has id {}, but another in model.vocab", token.content, token.id));
    }
  }
  TokenList tokens(vocab.size() + more.size());
  for (const auto& [token, id] : vocab.items()) tokens.set(token, id, where);
  for (const AddedToken* token : more) tokens.set(token->content, token->id, "added_tokens");
  return Vocabulary(tokens.take());
}

std::optional<std::int64_t> read_unknown(const Json& model, const Vocabulary& vocabulary) {
  if (!has(model, "unk_token")) return std::nullopt;
  const std::string token = text(model, "unk_token", "model");
  const auto id = vocabulary.id(token);
  if (!id) fail("model.unk_token", fmt::format("'{}' is not in the vocabulary", token));
  return id;
}

std::shared_ptr<const TokenModel> read_model(const Json& model,
                                             std::shared_ptr<const Vocabulary> vocabulary) {
  const std::string type = text(model, "type", "model");
  if (type == "BPE") return read_bpe(model, std::move(vocabulary));
  if (type == "WordPiece") return read_word_piece(model, std::move(vocabulary));
  unsupported("model " + type);
}

}  // namespace gradwalk::nn::tokenizer_json
