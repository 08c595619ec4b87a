#include "nn/tokenizer/characters.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "nn/files/json.h"
#include "nn/files/utf8.h"
#include "nn/tokenizer/bpe.h"
#include "nn/tokenizer/parts.h"

namespace gradwalk::nn {

Tokenizer character_tokenizer(std::string_view text) {
  if (text.empty())
    throw std::invalid_argument("character_tokenizer: expected a text that is not empty");
  if (const auto bad = first_invalid_utf8(text)) {
    throw std::invalid_argument(
        fmt::format("character_tokenizer: expected UTF-8, got byte 0x{:02X} at {}",
                    static_cast<std::uint8_t>(text[*bad]), *bad));
  }
  std::set<char32_t> characters;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text, i);
    characters.insert(step.code);
    i += step.length;
  }
  std::vector<std::string> tokens;
  for (const char32_t c : characters) append_utf8(tokens.emplace_back(), c);

  TokenizerParts parts;
  parts.vocabulary = std::make_shared<const Vocabulary>(std::move(tokens));
  parts.model = std::make_shared<const Bpe>(parts.vocabulary, BpeMerges(), BpeOptions());
  return Tokenizer(std::move(parts));
}

std::string character_tokenizer_json(const Tokenizer& tokenizer) {
  nlohmann::ordered_json vocab = nlohmann::ordered_json::object();
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id)
    vocab.push_back({tokenizer.token(id), id});
  const nlohmann::ordered_json file = {{"version", "1.0"},
                                       {"truncation", nullptr},
                                       {"padding", nullptr},
                                       {"added_tokens", nlohmann::ordered_json::array()},
                                       {"normalizer", nullptr},
                                       {"pre_tokenizer", nullptr},
                                       {"post_processor", nullptr},
                                       {"decoder", {{"type", "Fuse"}}},
                                       {"model",
                                        {{"type", "BPE"},
                                         {"dropout", nullptr},
                                         {"unk_token", nullptr},
                                         {"continuing_subword_prefix", nullptr},
                                         {"end_of_word_suffix", nullptr},
                                         {"fuse_unk", false},
                                         {"byte_fallback", false},
                                         {"vocab", vocab},
                                         {"merges", nlohmann::ordered_json::array()}}}};
  return json_text(file, /*indent=*/1) + "\n";
}

}  // namespace gradwalk::nn
