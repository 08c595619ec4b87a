#pragma once

#include <compare>
#include <cstdint>

#include "lessons/tasks/numbers/task.h"

/// Numbers that must be put together before they can be compared: each is two digits, the high one
/// first, and only the place in the text says which is which.
namespace gradwalk::lesson_20 {

/// Token 0 is [CLS], tokens 1, ..., D are the digits 0, ..., D - 1. An item at places 2i + 1 and
/// 2i + 2 is worth D high + low.
struct DigitTask {
  std::int64_t digits = 4;  ///< D
  std::int64_t items = 4;   ///< in a text

  std::int64_t vocabulary() const { return 1 + digits; }
  std::int64_t classes() const { return digits * digits; }
  std::int64_t tokens() const { return 2 * items; }  ///< without [CLS]

  auto operator<=>(const DigitTask&) const = default;
};

/// Draws texts; asked for is what the largest item is worth. The largest worth comes first, uniform
/// in 1, ..., D^2 - 1; it stands once, at any place, and the others are uniform below it.
/// @return  ids [B, 1 + 2 items], answer [B], holds: both tokens of the largest item
/// @throws std::invalid_argument unless digits >= 2 and items >= 1
tasks::NumberBatch draw_digits(std::int64_t batch, const DigitTask& task, Generator& generator);

}  // namespace gradwalk::lesson_20
