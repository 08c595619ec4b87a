#pragma once

#include <cstdint>
#include <string_view>

namespace gradwalk {

/// FNV-1a, 64 bit: tells texts apart, and spreads names over all bits. No defence against texts
/// that are made to collide.
/// Source  Fowler, Noll, Vo
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace gradwalk
