#include "nn/files/json.h"

#include <nlohmann/json.hpp>
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
  const Json whole = parse_json(json);
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
