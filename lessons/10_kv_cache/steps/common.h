#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

/// What several steps of lesson 10 use.
namespace gradwalk::lesson_10 {

inline constexpr double kKi = 1024, kGi = 1024.0 * 1024 * 1024;

/// Longest text whose products are counted, in tokens: whole maps of longer ones would take
/// hundreds of MB.
inline constexpr std::int64_t kCounted = 512;

inline std::string clock_note(const char* bound, bool met) {
  return fmt::format("clock, {} expected: {}", bound, met ? "met" : "missed");
}

}  // namespace gradwalk::lesson_10
