#include "nn/files/utf8.h"

#include <fmt/format.h>

#include <cstdint>

namespace gradwalk::nn {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// The range of a character's second byte follows from its first; the rest are 80 to BF.
struct Lead {
  std::size_t length;
  std::uint8_t low = 0x80, high = 0xBF;
};

Lead lead_of(std::uint8_t first) {
  if (first < 0x80) return {1};
  if (first < 0xC2) return {0};
  if (first < 0xE0) return {2};
  if (first == 0xE0) return {3, 0xA0};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first < 0xF0) return {3};
  if (first == 0xF0) return {4, 0x90};
  if (first < 0xF4) return {4};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

}  // namespace

Utf8Step utf8_step(std::string_view text, std::size_t position) {
  const std::uint8_t first = byte_at(text, position);
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {};
  char32_t code = lead.length == 1 ? first : first & (0xFFu >> (lead.length + 1));
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (position + i == text.size()) return {.cut = true};
    const std::uint8_t next = byte_at(text, position + i);
    if (next < (i == 1 ? lead.low : 0x80) || next > (i == 1 ? lead.high : 0xBF)) return {};
    code = code << 6 | (next & 0x3F);
  }
  return {.code = code, .length = lead.length, .valid = true};
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text, i);
    if (!step.valid) return i;
    i += step.length;
  }
  return std::nullopt;
}

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::string code_point_name(char32_t code) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
}

}  // namespace gradwalk::nn
