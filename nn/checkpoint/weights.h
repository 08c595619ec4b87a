#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "nn/checkpoint/safetensors.h"

namespace gradwalk::nn {

/// Hands out the tensors of a checkpoint one by one, and knows which are left: a weight that a
/// model has no place for is an error, not a model that is silently another.
class Weights {
 public:
  /// @param prefix  that some files put before the names of a model's body, such as `model.`; it
  ///                counts if any name has it
  Weights(const Safetensors& file, std::string_view prefix);

  /// `name` as the file has it.
  std::string body(std::string_view name) const { return prefix_ + std::string(name); }
  bool has(std::string_view name) const { return file_.find(name) != nullptr; }
  /// A tensor of the file. The shape is checked before anything is read.
  /// @throws std::runtime_error that names the tensor, both shapes and the file
  Tensor take(const std::string& name, const Shape& shape);
  /// The table of tokens where the output layer shares it: under either name or under both, which
  /// must then be equal.
  Tensor take_tied(const std::string& table, const std::string& head, const Shape& shape);

  /// @param ignored  what older files carry and nobody reads: beginnings of names, behind the
  ///                 body's prefix, if they end with a dot, else ends
  /// @throws std::runtime_error that names the first tensor that is left otherwise
  void expect_all_taken(std::span<const char* const> ignored) const;

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& got) const;

  const Safetensors& file_;
  std::string prefix_;
  std::unordered_set<std::string> taken_;
};

}  // namespace gradwalk::nn
