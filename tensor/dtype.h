#pragma once

#include <cstdint>

namespace gradwalk {

/// The element types. Float types never mix in one op: that is an error which names both.
enum class DType : std::uint8_t {
  kFloat32,  ///< the default
  kFloat64,  ///< gradient checks, the 4-d walk
  kInt64,    ///< token ids, indices
  kBool,     ///< masks; one byte an element, 0 or 1
};

/// "float32", "float64", "int64" or "bool".
constexpr const char* name(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kFloat64:
      return "float64";
    case DType::kInt64:
      return "int64";
    case DType::kBool:
      return "bool";
  }
  return "?";
}

/// Bytes of one element.
constexpr std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 4;
    case DType::kFloat64:
      return 8;
    case DType::kInt64:
      return 8;
    case DType::kBool:
      return 1;
  }
  return 0;
}

constexpr bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

/// The DType of a C++ element type.
template <class T>
inline constexpr DType kDTypeOf = DType::kFloat32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kFloat64;
template <>
inline constexpr DType kDTypeOf<std::int64_t> = DType::kInt64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;

}  // namespace gradwalk
