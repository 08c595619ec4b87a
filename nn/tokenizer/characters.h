#pragma once

#include <string>
#include <string_view>

#include "nn/tokenizer/tokenizer.h"

namespace gradwalk::nn {

/// A token for each different character of a text, in the order of their code points; for small
/// models.
///
/// BPE that merges nothing. Encoding a character that the text does not have is an error that names
/// it.
/// @throws std::invalid_argument if the text is empty or not UTF-8
Tokenizer character_tokenizer(std::string_view text);

/// The content of a tokenizer.json that gives such a tokenizer back, and that Hugging Face's
/// library reads too.
std::string character_tokenizer_json(const Tokenizer& tokenizer);

}  // namespace gradwalk::nn
