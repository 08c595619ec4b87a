#include "nn/tokenizer/decoder.h"

#include "nn/tokenizer/bpe.h"

namespace gradwalk::nn {
namespace {

// The order matters: each works on what the one before it left.
const Replace kCleanUp[] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                            {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                            {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};

}  // namespace

std::string Decoder::piece(std::string_view token, bool first) const {
  std::string text(token);
  for (const Replace& replacement : replacements) text = replaced(replacement, text);
  if (byte_fallback) {
    if (const auto byte = byte_of_token(text)) text.assign(1, static_cast<char>(*byte));
  }
  if (!first) {
    if (!continuation.empty() && text.starts_with(continuation)) {
      text.erase(0, continuation.size());
    } else {
      text.insert(0, separator);
    }
  }
  if (clean_up) {
    for (const Replace& replacement : kCleanUp) text = replaced(replacement, text);
  }
  return text;
}

}  // namespace gradwalk::nn
