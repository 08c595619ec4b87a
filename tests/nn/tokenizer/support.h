#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Small tokenizers for tests.
namespace gradwalk::nn::test {

using Ids = std::vector<std::int64_t>;

/// Each token's place in the list is its id.
nlohmann::json vocab(const std::vector<std::string>& tokens);

/// The content of a tokenizer.json: BPE with these tokens and merges ("a b").
nlohmann::json bpe_file(const std::vector<std::string>& tokens,
                        const std::vector<std::string>& merges);
/// WordPiece with BERT's normalizer, pre-tokenizer and decoder; [UNK] must be among the tokens.
nlohmann::json word_piece_file(const std::vector<std::string>& tokens);

/// The tokens <0x00> ... <0xFF>.
std::vector<std::string> byte_tokens();

/// The format of llama2.c, with the 259 tokens that it begins with in front of these.
struct Scored {
  std::string token;
  float score;
};
std::string scores_file(const std::vector<Scored>& tokens);

}  // namespace gradwalk::nn::test
