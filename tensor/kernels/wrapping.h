#pragma once

#include <cstdint>
#include <type_traits>

namespace gradwalk::kernels {

/// f(a, b), a sum, difference or product. Signed overflow is undefined in C++; int64 wraps here, as
/// in every tensor library.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  } else {
    return static_cast<T>(f(a, b));
  }
}

}  // namespace gradwalk::kernels
