#pragma once

#include <vector>

#include "nn/tokenizer/json_members.h"
#include "nn/tokenizer/parts.h"

namespace gradwalk::nn::tokenizer_json {

/// The parts of tokenizer.json around the model; `whole` is the whole file.

std::vector<Normalizer> read_normalizers(const Json& whole);
PreTokenizer read_pre_tokenizer(const Json& whole);
Decoder read_decoder(const Json& whole);
/// Sets parts.before and parts.after.
void read_post_processor(const Json& whole, TokenizerParts& parts);

}  // namespace gradwalk::nn::tokenizer_json
