#pragma once

#include <filesystem>
#include <string>

#include "nn/tokenizer/tokenizer.h"
#include "nn/training/batches.h"

namespace gradwalk::commands {

/// A text to train on, a token a character.
struct TrainText {
  std::string identity;    ///< see train_record.h
  std::string first_word;  ///< something to continue
  nn::Tokenizer tokenizer;
  nn::TokenSplit tokens;
};

/// @throws InputError that names the file: it cannot be read, is empty, is not UTF-8, or is so
/// short that a part of it has no window of `context` characters
TrainText read_train_text(const std::filesystem::path& path, std::int64_t context);

}  // namespace gradwalk::commands
