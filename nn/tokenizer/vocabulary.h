#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gradwalk::nn {

/// Tokens and their ids 0, 1, ..., size() - 1.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// Of tokens that are there twice the first has the id.
  explicit Vocabulary(std::vector<std::string> tokens);

  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  /// @param op  the function that errors name
  /// @throws std::out_of_range
  const std::string& token(std::int64_t id, const char* op = "token") const;
  std::optional<std::int64_t> id(std::string_view token) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;
};

}  // namespace gradwalk::nn
