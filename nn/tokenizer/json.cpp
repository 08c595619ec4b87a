#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "nn/tokenizer/configs.h"
#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/json_model.h"
#include "nn/tokenizer/json_parts.h"

namespace gradwalk::nn {
namespace {

using namespace tokenizer_json;

// Of a single text, which needs no padding to the longest of a batch.
void check_batching(const Json& whole) {
  if (has(whole, "truncation")) unsupported("truncation");
  if (!has(whole, "padding")) return;
  const Json& strategy = member(whole.at("padding"), "strategy", "padding");
  if (strategy != "BatchLongest") unsupported("padding to a fixed length");
}

}  // namespace

Tokenizer tokenizer_from_json(std::string_view json, const TokenizerConfigs& configs) {
  Json whole;
  try {
    whole = Json::parse(json);
  } catch (const Json::parse_error& error) {
    throw std::runtime_error(fmt::format("no JSON: error at byte {}", error.byte));
  } catch (const Json::out_of_range&) {
    throw std::runtime_error("no JSON: a number is too large");
  }
  const Json& model = member(whole, "model", "tokenizer.json");
  check_batching(whole);
  TokenizerParts parts;
  parts.added = read_added_tokens(whole);
  parts.normalizers = read_normalizers(whole);
  parts.pre_tokenizer = read_pre_tokenizer(whole);
  parts.decoder = read_decoder(whole);
  text(model, "type", "model");
  parts.vocabulary = std::make_shared<const Vocabulary>(read_vocabulary(model, parts.added));
  parts.model = read_model(model, parts.vocabulary);
  read_post_processor(whole, parts);
  parts.special = find_special_ids(*parts.vocabulary, configs);
  if (!parts.special.unk) parts.special.unk = read_unknown(model, *parts.vocabulary);
  return Tokenizer(std::move(parts));
}

}  // namespace gradwalk::nn
