#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "nn/tokenizer/configs.h"
#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/parts.h"
#include "nn/tokenizer/wordpiece.h"

namespace gradwalk::nn {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::int64_t required(std::optional<std::int64_t> id, std::string_view token) {
  if (!id) throw std::runtime_error(fmt::format("expected a line {}", token));
  return *id;
}

}  // namespace

Tokenizer tokenizer_from_vocab_txt(std::string_view text, const TokenizerConfigs& configs) {
  TokenizerParts parts;
  parts.vocabulary = std::make_shared<const Vocabulary>(lines_of(text));
  parts.special = find_special_ids(*parts.vocabulary, configs);
  const SpecialIds& special = parts.special;
  const std::int64_t unknown = required(special.unk, "[UNK]");
  parts.before = {required(special.cls, "[CLS]")};
  parts.after = {required(special.sep, "[SEP]")};
  for (const auto id : {special.unk, special.cls, special.sep, special.pad, special.mask}) {
    if (id)
      parts.added.push_back({.content = parts.vocabulary->token(*id), .id = *id, .special = true});
  }
  parts.model =
      std::make_shared<const WordPiece>(parts.vocabulary, WordPieceOptions{.unknown = unknown});
  const bool lower_case = config_flag(configs, "do_lower_case").value_or(true);
  parts.normalizers = {
      BertNormalizer{.clean_text = true,
                     .ideographs = config_flag(configs, "tokenize_chinese_chars").value_or(true),
                     .strip_accents = config_flag(configs, "strip_accents").value_or(lower_case),
                     .lower_case = lower_case}};
  parts.pre_tokenizer = PreTokenizer::kBert;
  parts.decoder.separator = " ";
  parts.decoder.continuation = "##";
  parts.decoder.clean_up = true;
  return Tokenizer(std::move(parts));
}

}  // namespace gradwalk::nn
