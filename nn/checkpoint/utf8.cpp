#include "nn/checkpoint/utf8.h"

namespace gradwalk::nn {
namespace {

// The range of a code point's second byte, and how many bytes follow the first.
struct Form {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t following;
};
constexpr Form kForms[] = {{0xC2, 0xDF, 0x80, 0xBF, 1}, {0xE0, 0xE0, 0xA0, 0xBF, 2},
                           {0xE1, 0xEC, 0x80, 0xBF, 2}, {0xED, 0xED, 0x80, 0x9F, 2},
                           {0xEE, 0xEF, 0x80, 0xBF, 2}, {0xF0, 0xF0, 0x90, 0xBF, 3},
                           {0xF1, 0xF3, 0x80, 0xBF, 3}, {0xF4, 0xF4, 0x80, 0x8F, 3}};

// Bytes of the code point that begins at i; 0 if none does.
std::size_t length_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  if (byte(i) < 0x80) return 1;
  for (const Form& form : kForms) {
    if (byte(i) < form.first_low || byte(i) > form.first_high) continue;
    if (byte(i + 1) < form.second_low || byte(i + 1) > form.second_high) return 0;
    for (std::size_t k = 2; k <= form.following; ++k) {
      if (byte(i + k) < 0x80 || byte(i + k) > 0xBF) return 0;
    }
    return form.following + 1;
  }
  return 0;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_at(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

}  // namespace gradwalk::nn
