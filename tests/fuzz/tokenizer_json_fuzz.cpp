// libFuzzer target: any bytes as a tokenizer file. Either it is a tokenizer, which encodes and
// decodes any text, or there is a std::runtime_error. A file that begins with { is a
// tokenizer.json, one with [ a vocab.txt, any other is one of llama2.c; what follows the first NUL
// byte of the first two is a text to encode.
//
//     CXX=clang++ cmake -S . -B build/fuzz -G Ninja -DGRADWALK_FUZZ=ON
//     -DGRADWALK_SANITIZE=address,undefined ninja -C build/fuzz tokenizer_json_fuzz
//     build/fuzz/bin/tokenizer_json_fuzz -dict=tests/fuzz/tokenizer_json.dict -max_len=8192
//     NEW_FOLDER tests/fuzz/corpus/tokenizer_json

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "nn/files/utf8.h"
#include "nn/tokenizer/formats.h"

namespace gradwalk::nn {
namespace {

std::optional<Tokenizer> read(std::string_view file) {
  try {
    if (file.starts_with('{')) return tokenizer_from_json(file);
    if (file.starts_with('[')) return tokenizer_from_vocab_txt(file);
    return tokenizer_from_scores(file);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

void use(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::int64_t> ids;
  try {
    ids = tokenizer.encode(text);
  } catch (const std::out_of_range&) {  // a character without a token
    return;
  }
  TextStream stream(tokenizer);
  std::string pieces;
  for (const std::int64_t id : ids) {
    require(id >= 0 && id < tokenizer.vocab_size());
    const std::string piece = stream.add(id);
    require(!first_invalid_utf8(piece));
    pieces += piece;
  }
  pieces += stream.finish();
  require(pieces == tokenizer.decode(ids));
}

}  // namespace
}  // namespace gradwalk::nn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_text = input.starts_with('{') || input.starts_with('[');
  const std::size_t end = is_text ? std::min(input.find('\0'), size) : size;
  if (const auto tokenizer = gradwalk::nn::read(input.substr(0, end))) {
    gradwalk::nn::use(*tokenizer, input.substr(std::min(end + 1, size)));
    gradwalk::nn::use(*tokenizer,
                      "Once upon a time, 静 caf\xC3\xA9 \xF0\x9F\x99\x82\xFF\n  t5 [UNK]");
  }
  return 0;
}
