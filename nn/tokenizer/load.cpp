#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "nn/tokenizer/formats.h"
#include "nn/tokenizer/tokenizer.h"

namespace gradwalk::nn {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read the file");
  return content;
}

TokenizerConfigs configs_beside(const fs::path& path) {
  TokenizerConfigs configs;
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const fs::path file = path.parent_path() / name;
    if (fs::is_regular_file(file)) configs.push_back(read_file(file));
  }
  return configs;
}

Tokenizer read(const fs::path& path) {
  if (!fs::is_regular_file(path)) throw std::runtime_error("no such file");
  if (path.extension() == ".json")
    return tokenizer_from_json(read_file(path), configs_beside(path));
  if (path.extension() == ".txt")
    return tokenizer_from_vocab_txt(read_file(path), configs_beside(path));
  if (path.extension() == ".bin") return tokenizer_from_scores(read_file(path));
  throw std::runtime_error("expected a tokenizer: a file *.json, *.txt or *.bin");
}

}  // namespace

std::optional<fs::path> find_tokenizer(const fs::path& folder, const char* op) {
  for (const char* name : {"tokenizer.json", "vocab.txt", "tokenizer.bin"}) {
    if (fs::is_regular_file(folder / name)) return folder / name;
  }
  std::optional<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".bin" || !path.filename().string().starts_with("tok")) continue;
    if (found) {
      const auto [first, second] = std::minmax(*found, path);
      throw std::runtime_error(fmt::format("{}: {}: expected one tokenizer, got {} and {}", op,
                                           folder.string(), first.filename().string(),
                                           second.filename().string()));
    }
    found = path;
  }
  return found;
}

Tokenizer load_tokenizer(const fs::path& path) {
  std::optional<fs::path> file = path;
  if (fs::is_directory(path)) file = find_tokenizer(path, "load_tokenizer");
  try {
    if (!file) {
      throw std::runtime_error(
          "no tokenizer: expected tokenizer.json, vocab.txt, tokenizer.bin or tok*.bin");
    }
    return read(*file);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        fmt::format("load_tokenizer: {}: {}", file.value_or(path).string(), error.what()));
  }
}

}  // namespace gradwalk::nn
