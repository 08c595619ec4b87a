#include "nn/tokenizer/support.h"

#include <algorithm>
#include <cstring>

#include "nn/tokenizer/bpe.h"

namespace gradwalk::nn::test {

nlohmann::json vocab(const std::vector<std::string>& tokens) {
  nlohmann::json result = nlohmann::json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) result[tokens[i]] = i;
  return result;
}

nlohmann::json bpe_file(const std::vector<std::string>& tokens,
                        const std::vector<std::string>& merges) {
  return {{"model", {{"type", "BPE"}, {"vocab", vocab(tokens)}, {"merges", merges}}},
          {"decoder", {{"type", "Fuse"}}}};
}

nlohmann::json word_piece_file(const std::vector<std::string>& tokens) {
  return {{"normalizer", {{"type", "BertNormalizer"}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
          {"model", {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"vocab", vocab(tokens)}}}};
}

std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte)
    tokens.push_back(byte_token(static_cast<std::uint8_t>(byte)));
  return tokens;
}

std::string scores_file(const std::vector<Scored>& tokens) {
  std::vector<Scored> all = {{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}};
  for (const std::string& byte : byte_tokens()) all.push_back({byte, 0});
  all.insert(all.end(), tokens.begin(), tokens.end());
  std::string bytes;
  const auto put = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  std::int32_t longest = 1;
  for (const Scored& scored : all)
    longest = std::max(longest, static_cast<std::int32_t>(scored.token.size()));
  put(longest);
  for (const Scored& scored : all) {
    put(scored.score);
    put(static_cast<std::int32_t>(scored.token.size()));
    bytes += scored.token;
  }
  return bytes;
}

}  // namespace gradwalk::nn::test
