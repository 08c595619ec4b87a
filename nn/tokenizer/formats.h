#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/tokenizer/tokenizer.h"

namespace gradwalk::nn {

/// The formats that load_tokenizer reads, from memory. Each throws std::runtime_error that says
/// what is wrong, without the file's name.

/// What the files beside a tokenizer say of it: tokenizer_config.json first, then
/// special_tokens_map.json. Where several name a token, the first counts.
using TokenizerConfigs = std::vector<std::string>;

/// tokenizer.json, as the tokenizers library of Hugging Face writes it. Supported are
///
///   model           BPE (also with byte_fallback), WordPiece
///   normalizer      none, Sequence, Prepend, Replace of a string, BertNormalizer
///   pre_tokenizer   none, Whitespace, BertPreTokenizer
///   post_processor  none, TemplateProcessing (for one text)
///   decoder         none, WordPiece, Sequence of Replace, ByteFallback, Fuse and Strip in this
///                   order
///
/// and what else the file asks for is an error that names it.
Tokenizer tokenizer_from_json(std::string_view json, const TokenizerConfigs& configs = {});

/// vocab.txt of BERT: a token a line, [UNK], [CLS] and [SEP] among them; the text is cleaned and
/// cut as BERT does it, with do_lower_case, strip_accents and tokenize_chinese_chars from the
/// configs.
Tokenizer tokenizer_from_vocab_txt(std::string_view text, const TokenizerConfigs& configs = {});

/// The binary format of llama2.c: int32 length of the longest token; then for each token a float32
/// score, an int32 length and the bytes, little-endian. Ids 0, 1, 2 are unknown, BOS and EOS, 3 to
/// 258 the bytes.
///
/// BPE in which the pair merges first whose joined token has the highest score. A text that is not
/// empty gets a space before it, which decoding drops again after BOS.
Tokenizer tokenizer_from_scores(std::string_view bytes);

}  // namespace gradwalk::nn
