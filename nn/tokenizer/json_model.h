#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/tokenizer/json_members.h"
#include "nn/tokenizer/parts.h"

namespace gradwalk::nn::tokenizer_json {

/// The part `model` of tokenizer.json, and the added tokens, which share its ids.

std::vector<AddedToken> read_added_tokens(const Json& whole);
/// The tokens of the model, and behind them the added ones that it lacks.
Vocabulary read_vocabulary(const Json& model, const std::vector<AddedToken>& added);
std::optional<std::int64_t> read_unknown(const Json& model, const Vocabulary& vocabulary);
std::shared_ptr<const TokenModel> read_model(const Json& model,
                                             std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace gradwalk::nn::tokenizer_json
