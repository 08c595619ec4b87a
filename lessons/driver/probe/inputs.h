#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

/// What a probe is given beside the model.
namespace gradwalk::probe {

using Ids = std::vector<std::int64_t>;

/// The ids of one text, with blanks or commas between.
/// @throws std::invalid_argument that says what was expected and which word came
Ids parse_ids(const std::string& text);

/// Texts as token ids, one a line; empty lines are skipped.
/// @param path  a file of at most 64 MiB
/// @throws std::runtime_error that names the file, the line and what it has
std::vector<Ids> read_texts(const std::filesystem::path& path);

/// Tokens that belong together, such as those of numbers.
struct TokenClass {
  std::string label;
  Ids tokens;  ///< sorted
  bool has(std::int64_t token) const;
};

/// One class a line, "number: 1 2 5-16", labels printable; "#" begins a comment. A token is in one
/// class at most.
/// @param vocabulary  ids are below it
/// @throws std::runtime_error that names the file, the line and what it has
std::vector<TokenClass> read_classes(const std::filesystem::path& path, std::int64_t vocabulary);

/// What the source model computes, from a safetensors file: `logits` [T, V] or [B, T, V] of a
/// language model; `last_hidden_state` [T, D] or [B, T, D], or else `cls` [D] or [B, D], of an
/// encoder; and `ids` [T] or [B, T], if it says on which texts. Other tensors are not looked at.
struct Expected {
  std::filesystem::path path;
  std::string name;            ///< of the tensor
  std::vector<Tensor> values;  ///< one a text
  std::vector<Ids> texts;      ///< empty if the file has none
};
/// @throws std::runtime_error that names the file and what is missing, does not fit or is not
/// finite
Expected read_expected(const std::filesystem::path& path, bool is_causal);

}  // namespace gradwalk::probe
