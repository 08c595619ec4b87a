#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "nn/checkpoint/safetensors_header.h"

namespace gradwalk::nn {
namespace {

// Values may stand at any address, so each is copied out.
template <class From, class To, class Convert>
void convert(const std::byte* from, Tensor& to, Convert value_of) {
  To* out = to.mutable_data<To>();
  for (std::int64_t i = 0; i < to.numel(); ++i, from += sizeof(From)) {
    From value;
    std::memcpy(&value, from, sizeof(From));
    out[i] = value_of(value);
  }
}

template <class From>
void integers(const std::byte* from, Tensor& to) {
  convert<From, std::int64_t>(from, to, [](From x) { return static_cast<std::int64_t>(x); });
}

float from_bf16(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

float from_f16(std::uint16_t x) {
  const std::uint32_t sign = (x & 0x8000U) << 16;
  const std::uint32_t exponent = (x >> 10) & 0x1FU;
  const std::uint32_t fraction = x & 0x3FFU;
  if (exponent == 0) {  // a multiple of 2^-24: exact in float32, where it is normal
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

void copy(const std::byte* from, void* to, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

DType dtype_of(const SafetensorsEntry& entry, const Where& where) {
  const std::string_view type = entry.dtype;
  if (type == "F32" || type == "F16" || type == "BF16") return DType::kFloat32;
  if (type == "F64") return DType::kFloat64;
  if (type == "BOOL") return DType::kBool;
  if (type[0] == 'I' || type[0] == 'U') return DType::kInt64;
  throw_safetensors_error("a dtype among BOOL, U8 to U64, I8 to I64, F16, BF16, F32 and F64",
                          fmt::format("{}, which is not supported", type), entry.name, where);
}

Shape shape_of(const SafetensorsEntry& entry, const Where& where) {
  if (entry.shape.size() > static_cast<std::size_t>(kMaxNdim)) {
    throw_safetensors_error(fmt::format("at most {} axes", kMaxNdim),
                            fmt::format("{}", entry.shape.size()), entry.name, where);
  }
  Shape shape;
  for (const std::uint64_t size : entry.shape) {
    if (size > std::uint64_t{INT64_MAX}) {
      throw_safetensors_error("sizes that fit 63 bits", fmt::format("{}", size), entry.name, where);
    }
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

}  // namespace

Tensor decode_safetensors(const SafetensorsEntry& entry, std::span<const std::byte> file,
                          const Where& where) {
  const std::string_view type = entry.dtype;
  const DType dtype = dtype_of(entry, where);
  Tensor x(where.op, shape_of(entry, where), dtype);
  const std::byte* from = file.data() + entry.begin;
  if (type == "F32") copy(from, x.mutable_data<float>(), 4 * x.numel());
  if (type == "F64") copy(from, x.mutable_data<double>(), 8 * x.numel());
  if (type == "I64") copy(from, x.mutable_data<std::int64_t>(), 8 * x.numel());
  if (type == "F16") convert<std::uint16_t, float>(from, x, from_f16);
  if (type == "BF16") convert<std::uint16_t, float>(from, x, from_bf16);
  if (type == "BOOL") convert<std::uint8_t, bool>(from, x, [](auto value) { return value != 0; });
  if (type == "U8") integers<std::uint8_t>(from, x);
  if (type == "I8") integers<std::int8_t>(from, x);
  if (type == "U16") integers<std::uint16_t>(from, x);
  if (type == "I16") integers<std::int16_t>(from, x);
  if (type == "U32") integers<std::uint32_t>(from, x);
  if (type == "I32") integers<std::int32_t>(from, x);
  if (type == "U64") {
    convert<std::uint64_t, std::int64_t>(from, x, [&](std::uint64_t value) {
      if (value > std::uint64_t{INT64_MAX}) {
        throw_safetensors_error("U64 values that fit 63 bits", fmt::format("{}", value), entry.name,
                                where);
      }
      return static_cast<std::int64_t>(value);
    });
  }
  return x;
}

}  // namespace gradwalk::nn
