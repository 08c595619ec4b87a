#include "lessons/driver/probe/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "lessons/course/text/parse.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/layout.h"

namespace gradwalk::probe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongest = std::size_t{64} << 20;

// Text of a file as an error shows it: short, and without what moves a terminal's cursor.
std::string shown(std::string text) {
  constexpr std::size_t kMost = 60;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) {
    throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  }
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (file.read(piece.data(), std::ssize(piece)), file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLongest) {
      throw std::runtime_error(
          fmt::format("{}: expected at most {} bytes, got more", path.string(), kLongest));
    }
  }
  if (file.bad()) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  return text;
}

// Calls `use` with each line that is more than blanks, and its number from 1.
void each_line(const fs::path& path, const std::function<void(const std::string&, int)>& use) {
  int number = 0;
  for (const std::string& line : course::split(content_of(path), '\n')) {
    ++number;
    const std::string text = course::trimmed(line);
    if (!text.empty()) use(text, number);
  }
}

[[noreturn]] void refuse(const fs::path& path, int line, const std::string& expected,
                         const std::string& got) {
  throw std::runtime_error(
      fmt::format("{}:{}: expected {}, got '{}'", path.string(), line, expected, shown(got)));
}

std::vector<std::string> words_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\t'; }, ' ');
  std::vector<std::string> words = course::split(text, ' ');
  std::erase(words, "");
  return words;
}

// The tensor cut along its first axis, if it has one more than a text's own has.
std::vector<Tensor> by_text(const Tensor& x, std::int64_t axes, const std::string& name,
                            const fs::path& path) {
  if (x.numel() == 0) {
    throw std::runtime_error(fmt::format("probe: expected numbers in {}, got {}; {}", name,
                                         x.shape().str(), path.string()));
  }
  if (x.ndim() == axes) return {x};
  if (x.ndim() != axes + 1) {
    throw std::runtime_error(fmt::format("probe: expected {} of {} or {} axes, got {}; {}", name,
                                         axes, axes + 1, x.shape().str(), path.string()));
  }
  std::vector<Tensor> texts;
  for (std::int64_t i = 0; i < x.shape()[0]; ++i) texts.push_back(select(x, 0, i));
  return texts;
}

}  // namespace

Ids parse_ids(const std::string& text) {
  Ids ids;
  for (const std::string& word : words_of(text)) {
    const auto id = course::parse_whole(word);
    if (!id || *id < 0) {
      throw std::invalid_argument(
          fmt::format("expected token ids, whole numbers >= 0, got '{}'", shown(word)));
    }
    ids.push_back(*id);
  }
  if (ids.empty()) throw std::invalid_argument("expected token ids, got none");
  return ids;
}

std::vector<Ids> read_texts(const fs::path& path) {
  std::vector<Ids> texts;
  each_line(path, [&](const std::string& line, int number) {
    try {
      texts.push_back(parse_ids(line));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
  });
  if (texts.empty()) {
    throw std::runtime_error(fmt::format("{}: expected token ids, got none", path.string()));
  }
  return texts;
}

bool TokenClass::has(std::int64_t token) const {
  return std::binary_search(tokens.begin(), tokens.end(), token);
}

std::vector<TokenClass> read_classes(const fs::path& path, std::int64_t vocabulary) {
  std::vector<TokenClass> classes;
  std::map<std::int64_t, std::string> label_of;
  each_line(path, [&](const std::string& line, int number) {
    const std::string text = course::trimmed(line.substr(0, line.find('#')));
    if (text.empty()) return;
    const std::size_t colon = text.find(':');
    const std::string label = course::trimmed(text.substr(0, colon));
    if (colon == std::string::npos || label.empty() || shown(label) != label) {
      refuse(path, number, "LABEL: ID ID FIRST-LAST ...", text);
    }
    for (const TokenClass& one : classes) {
      if (one.label == label) refuse(path, number, "each label once", label);
    }
    TokenClass made{label, {}};
    for (const std::string& word : words_of(text.substr(colon + 1))) {
      const std::size_t dash = word.find('-');
      const auto first = course::parse_whole(word.substr(0, dash));
      const auto last =
          dash == std::string::npos ? first : course::parse_whole(word.substr(dash + 1));
      if (!first || !last || *first < 0 || *last < *first || *last >= vocabulary) {
        refuse(path, number, fmt::format("ids or FIRST-LAST from 0 to {}", vocabulary - 1), word);
      }
      for (std::int64_t id = *first; id <= *last; ++id) {
        const auto [known, added] = label_of.emplace(id, label);
        if (!added) {
          refuse(path, number,
                 fmt::format("each token in one class; {} is in {}", id, known->second), word);
        }
        made.tokens.push_back(id);
      }
    }
    if (made.tokens.empty()) refuse(path, number, "at least one token", text);
    std::sort(made.tokens.begin(), made.tokens.end());
    classes.push_back(std::move(made));
  });
  if (classes.empty()) {
    throw std::runtime_error(fmt::format("{}: expected classes, got none", path.string()));
  }
  return classes;
}

Expected read_expected(const fs::path& path, bool is_causal) {
  const nn::Safetensors file(path);
  Expected expected;
  expected.path = path;
  for (const char* name : {"logits", "last_hidden_state", "cls"}) {
    const bool fits = is_causal == (std::string_view(name) == "logits");
    if (expected.name.empty() && fits && file.find(name) != nullptr) expected.name = name;
  }
  if (expected.name.empty()) {
    throw std::runtime_error(
        fmt::format("probe: expected {} to compare with, got no such tensor; {}",
                    is_causal ? "logits" : "last_hidden_state or cls", path.string()));
  }
  const Tensor values = file.load(expected.name);
  for (const double value : values.to_vector()) {
    if (!std::isfinite(value)) {
      throw std::runtime_error(fmt::format("probe: expected finite numbers in {}, got {}; {}",
                                           expected.name, value, path.string()));
    }
  }
  expected.values = by_text(values, expected.name == "cls" ? 1 : 2, expected.name, path);
  if (file.find("ids") == nullptr) return expected;
  const Tensor ids = file.load("ids");
  if (ids.dtype() != DType::kInt64) {
    throw std::runtime_error(fmt::format("probe: expected ids of an integer type, got {}; {}",
                                         file.find("ids")->dtype, path.string()));
  }
  for (const Tensor& text : by_text(ids, 1, "ids", path)) {
    const Tensor whole = contiguous(text);
    expected.texts.emplace_back(whole.data<std::int64_t>(),
                                whole.data<std::int64_t>() + whole.numel());
  }
  if (expected.texts.size() != expected.values.size()) {
    throw std::runtime_error(fmt::format("probe: expected ids of {} texts, as {} has, got {}; {}",
                                         expected.values.size(), expected.name,
                                         expected.texts.size(), path.string()));
  }
  return expected;
}

}  // namespace gradwalk::probe
