#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/vocabulary.h"

namespace gradwalk::nn {

/// Answers from the files beside a tokenizer.
/// @throws std::runtime_error for a text that is not a JSON object, or an answer of another type

/// The token under a key such as "bos_token": a string, or an object with "content".
std::optional<std::string> config_token(const TokenizerConfigs& configs, const std::string& key);
std::optional<bool> config_flag(const TokenizerConfigs& configs, const std::string& key);

/// The special ids that the configs name, and where they name none, those of the usual names
/// ([CLS], <s>, ...) that the vocabulary has.
/// @throws std::runtime_error if a named token is not in the vocabulary
SpecialIds find_special_ids(const Vocabulary& vocabulary, const TokenizerConfigs& configs);

}  // namespace gradwalk::nn
