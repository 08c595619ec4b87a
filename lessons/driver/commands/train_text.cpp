#include "lessons/driver/commands/train_text.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/text/file_content.h"
#include "lessons/driver/commands/train_record.h"
#include "nn/files/utf8.h"
#include "nn/tokenizer/characters.h"

namespace gradwalk::commands {
namespace {

using course::InputError;

std::string content_of(const std::filesystem::path& path) {
  try {
    return course::file_content(path);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

// The first character where there are only blanks.
std::string first_word_of(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return text.substr(0, 1);
  return text.substr(begin, text.find_first_of(kBlanks, begin) - begin);
}

}  // namespace

TrainText read_train_text(const std::filesystem::path& path, std::int64_t context) {
  const std::string text = content_of(path);
  if (text.empty()) throw InputError(fmt::format("{}: expected a text, got none", path.string()));
  if (const auto bad = nn::first_invalid_utf8(text)) {
    throw InputError(fmt::format("{}: expected UTF-8, got byte 0x{:02X} at {}", path.string(),
                                 static_cast<unsigned char>(text[*bad]), *bad));
  }
  nn::Tokenizer tokenizer = nn::character_tokenizer(text);
  const std::vector<std::int64_t> ids = tokenizer.encode(text);
  nn::TokenSplit tokens = nn::split_tokens(ids);
  if (static_cast<std::int64_t>(tokens.validation.size()) <= context) {
    throw InputError(fmt::format(
        "{}: expected more than {} characters (--context) in the last tenth, which validates, got "
        "{} of {}",
        path.string(), context, tokens.validation.size(), ids.size()));
  }
  return {text_identity(text), first_word_of(text), std::move(tokenizer), std::move(tokens)};
}

}  // namespace gradwalk::commands
