#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/checkpoint/safetensors.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {

/// The most bytes that the header of a safetensors file may have.
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// Reads the header of a safetensors file and holds the whole file to the rules of the format:
///
///   8 bytes     N, the length of the header, little-endian; at most 100,000,000 and in the file
///   N bytes     UTF-8 JSON, one object, between white space:
///               {"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets"}, ...}
///   the rest    the tensors' bytes, row-major, little-endian, without gap, overlap or remainder
///
/// A name stands once (the reference reader lets the last one win). Of an entry's members that the
/// format does not know nothing is read. Memory grows with the header's own bytes, whatever numbers
/// stand in them.
///
/// @param where  for errors
/// @throws std::runtime_error that names the rule, the tensor and the file
/// Source  huggingface/safetensors, README, "Format"
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const Where& where);

/// The values of a tensor whose header was checked. @throws std::runtime_error as Safetensors::load
Tensor decode_safetensors(const SafetensorsEntry& entry, std::span<const std::byte> file,
                          const Where& where);

/// "op: expected E, got G; tensor "w" in FILE" as a std::runtime_error. A name is shown as
/// JSON has it, and cut if it is long; without one the tensor is left out.
[[noreturn]] void throw_safetensors_error(std::string_view expected, std::string_view got,
                                          std::string_view tensor, const Where& where);

}  // namespace gradwalk::nn
