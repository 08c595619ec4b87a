#include "nn/tokenizer/configs.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "nn/files/json.h"

namespace gradwalk::nn {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

// The first answer that is not null.
Json find(const TokenizerConfigs& configs, const std::string& key) {
  for (const std::string& text : configs) {
    Json config = parsed(text);
    if (!config.is_object()) throw std::runtime_error("tokenizer config: expected a JSON object");
    const auto found = config.find(key);
    if (found != config.end() && !found->is_null())
      return std::move(*found);  // a copy would recurse as deep as the file says
  }
  return nullptr;
}

std::optional<std::int64_t> special_id(const Vocabulary& vocabulary,
                                       const TokenizerConfigs& configs, const std::string& key,
                                       std::initializer_list<std::string_view> usual) {
  if (const auto token = config_token(configs, key)) {
    const auto id = vocabulary.id(*token);
    if (!id)
      throw std::runtime_error(
          fmt::format("tokenizer config: {} '{}' is not in the vocabulary", key, *token));
    return id;
  }
  for (const std::string_view token : usual) {
    if (const auto id = vocabulary.id(token)) return id;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> config_token(const TokenizerConfigs& configs, const std::string& key) {
  const Json answer = find(configs, key);
  if (answer.is_null()) return std::nullopt;
  const Json& value =
      answer.is_object() && answer.contains("content") ? answer.at("content") : answer;
  if (!value.is_string())
    throw std::runtime_error(fmt::format("tokenizer config: expected {} to be a token", key));
  return value.get<std::string>();
}

std::optional<bool> config_flag(const TokenizerConfigs& configs, const std::string& key) {
  const Json value = find(configs, key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_boolean())
    throw std::runtime_error(fmt::format("tokenizer config: expected {} to be true or false", key));
  return value.get<bool>();
}

SpecialIds find_special_ids(const Vocabulary& vocabulary, const TokenizerConfigs& configs) {
  const auto find_id = [&](const std::string& key, std::initializer_list<std::string_view> usual) {
    return special_id(vocabulary, configs, key, usual);
  };
  return {.bos = find_id("bos_token", {"<s>", "<|startoftext|>"}),
          .eos = find_id("eos_token", {"</s>", "<|endoftext|>"}),
          .cls = find_id("cls_token", {"[CLS]"}),
          .sep = find_id("sep_token", {"[SEP]"}),
          .pad = find_id("pad_token", {"[PAD]", "<pad>"}),
          .unk = find_id("unk_token", {"[UNK]", "<unk>"}),
          .mask = find_id("mask_token", {"[MASK]", "<mask>"})};
}

}  // namespace gradwalk::nn
