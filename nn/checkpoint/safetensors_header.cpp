#include "nn/checkpoint/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <tuple>

#include "nn/checkpoint/safetensors_sax.h"
#include "nn/files/json.h"
#include "nn/files/utf8.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

struct KnownType {
  std::string_view name;
  std::uint64_t bits;
};
constexpr KnownType kTypes[] = {
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64}};

// Bytes that a tensor of this shape takes.
std::uint64_t bytes_of(const RawEntry& entry, const KnownType& type, const Where& where) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : entry.shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      throw_safetensors_error("an element count that fits 64 bits",
                              fmt::format("shape [{}]", fmt::join(entry.shape, ", ")), entry.name,
                              where);
    }
  }
  std::uint64_t bits = 0;
  if (__builtin_mul_overflow(count, type.bits, &bits)) {
    throw_safetensors_error("element count times element size that fits 64 bits",
                            fmt::format("{} of {} bits", count, type.bits), entry.name, where);
  }
  if (bits % 8 != 0) {
    throw_safetensors_error("elements that fill whole bytes",
                            fmt::format("{} of {} bits", count, type.bits), entry.name, where);
  }
  return bits / 8;
}

SafetensorsEntry checked(RawEntry&& raw, const Where& where) {
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const KnownType& t) { return t.name == raw.dtype; });
  if (type == std::end(kTypes)) {
    throw_safetensors_error("a dtype that the format knows, in upper case", shown_json(raw.dtype),
                            raw.name, where);
  }
  const std::uint64_t begin = raw.offsets[0];
  const std::uint64_t end = raw.offsets[1];
  if (end < begin) {
    throw_safetensors_error("data_offsets whose end is not below the begin",
                            fmt::format("[{}, {}]", begin, end), raw.name, where);
  }
  const std::uint64_t bytes = bytes_of(raw, *type, where);
  if (end - begin != bytes) {
    throw_safetensors_error(
        fmt::format("end - begin = element count times element size, {} bytes for {} [{}]", bytes,
                    type->name, fmt::join(raw.shape, ", ")),
        fmt::format("{}", end - begin), raw.name, where);
  }
  return {std::move(raw.name), type->name, std::move(raw.shape), begin, end};
}

// The tensors cover the data exactly. `entries` are sorted; offsets become those in the file.
void place(std::vector<SafetensorsEntry>& entries, std::uint64_t data_begin, std::uint64_t size,
           const Where& where) {
  std::uint64_t covered = 0;
  for (SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      const char* rule = covered == 0 && entry.begin > 0 ? "the first tensor to start at 0"
                         : entry.begin > covered         ? "no gap between tensors"
                                                         : "tensors that share no bytes";
      throw_safetensors_error(fmt::format("{}, here at {}", rule, covered),
                              fmt::format("a begin of {}", entry.begin), entry.name, where);
    }
    covered = entry.end;
  }
  if (covered != size - data_begin) {
    throw_safetensors_error(
        "data that the tensors cover exactly, to the end of the file",
        fmt::format("{} bytes of data and tensors that end at {}", size - data_begin, covered),
        entries.empty() ? std::string_view() : entries.back().name, where);
  }
  for (SafetensorsEntry& entry : entries) {
    entry.begin += data_begin;
    entry.end += data_begin;
  }
}

std::string_view header_text(std::span<const std::byte> file, const Where& where) {
  if (file.size() < kLengthBytes) {
    throw_safetensors_error("at least 8 bytes", fmt::format("{}", file.size()), {}, where);
  }
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLongestHeader) {
    throw_safetensors_error(fmt::format("a header length of at most {}", kLongestHeader),
                            fmt::format("{}", length), {}, where);
  }
  if (length > file.size() - kLengthBytes) {
    throw_safetensors_error(
        "a header that ends inside the file",
        fmt::format("a header length of {} in a file of {} bytes", length, file.size()), {}, where);
  }
  return {reinterpret_cast<const char*>(file.data()) + kLengthBytes, length};
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const Where& where) {
  const std::string_view text = header_text(file, where);
  if (const auto bad = first_invalid_utf8(text)) {
    throw_safetensors_error("a header in UTF-8", fmt::format("a byte that is not at {}", *bad), {},
                            where);
  }
  // The JSON parser takes a zero byte for the end of the text, and leaves out a byte order mark.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{' || text.find('\0') != text.npos) {
    throw_safetensors_error("a header that is one JSON object", shown_json(text.substr(0, 20)), {},
                            where);
  }
  SafetensorsSax sax(where);
  parse_json(text, sax);

  SafetensorsHeader header;
  header.metadata = std::move(sax.metadata);
  header.tensors.reserve(sax.tensors.size());
  for (RawEntry& raw : sax.tensors) header.tensors.push_back(checked(std::move(raw), where));
  // By the end too: an empty tensor comes before the one that begins where it stands.
  std::sort(header.tensors.begin(), header.tensors.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  place(header.tensors, kLengthBytes + text.size(), file.size(), where);
  return header;
}

void throw_safetensors_error(std::string_view expected, std::string_view got,
                             std::string_view tensor, const Where& where) {
  std::string text = error_text(where.op, expected, got);
  text += tensor.empty() ? fmt::format("; in {}", where.file)
                         : fmt::format("; tensor {} in {}", shown_json(tensor), where.file);
  throw std::runtime_error(text);
}

}  // namespace gradwalk::nn
