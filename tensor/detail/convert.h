#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <type_traits>

#include "tensor/error.h"

namespace gradwalk {

/// One element as another element type: floats to int64 truncate, anything but 0 is true.
/// @throws std::invalid_argument that names `op` if a NaN, an infinity or a value past 63 bits goes
///         to int64
template <class To, class From>
To convert(const char* op, From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_same_v<To, std::int64_t> && std::is_floating_point_v<From>) {
    // -2^63 is exact in float and double; 2^63 is the first value past the range.
    constexpr From kLimit = static_cast<From>(9223372036854775808.0);
    if (!(value >= -kLimit && value < kLimit)) {
      throw_argument_error(op, "values that fit int64", fmt::format("{}", value));
    }
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace gradwalk
