#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nn/module.h"

namespace gradwalk::nn {

class MappedFile;

/// A tensor as the header of a safetensors file describes it.
struct SafetensorsEntry {
  std::string name;
  std::string_view dtype;  ///< "F32", "BF16", ...: one of the names that the format knows
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< of its bytes, from the start of the file
  std::uint64_t end = 0;
};

/// The tensors of a safetensors file, or of several that an index lists.
///
/// Opening maps the files and checks their headers (rules in safetensors_header.h); a tensor is
/// read when it is asked for.
class Safetensors {
 public:
  /// @param path  a `.safetensors` file, or the index of a model in pieces (`....index.json`):
  ///              {"weight_map": {name: file in the same folder}}, where each name must be in its
  ///              file and no other tensor is seen
  /// @param op    the function that errors name
  /// @throws std::runtime_error that names the file, the rule and the tensor
  explicit Safetensors(const std::filesystem::path& path, const char* op = "Safetensors");
  ~Safetensors();
  Safetensors(Safetensors&&) noexcept;
  Safetensors& operator=(Safetensors&&) noexcept;

  /// Without loading anything; in the order of the bytes, file after file.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  /// That of all files; of a name in several the first one's.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// nullptr if there is none of this name.
  const SafetensorsEntry* find(std::string_view name) const;

  /// The values of one tensor: F32, F16 and BF16 as float32, F64 as float64, integers as int64,
  /// BOOL as bool (anything but 0 is true).
  /// @throws std::runtime_error for a name that is not there, a type that we do not have (C64, F8
  /// and those below a byte), a U64 value past 63 bits, or more axes than a tensor can have
  Tensor load(std::string_view name) const;

  const std::filesystem::path& path() const { return path_; }
  const char* op() const { return op_; }

 private:
  struct Place {
    std::size_t entry, file;
  };

  using WeightMap = std::map<std::string, std::string>;  // the file of a tensor

  void add_file(const std::filesystem::path& path, const WeightMap* index);
  void add_index(const std::filesystem::path& path);

  std::filesystem::path path_;
  const char* op_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::filesystem::path> paths_;  // of the files
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, Place, std::less<>> places_;
  std::map<std::string, std::string> metadata_;
};

/// Writes a safetensors file in one move: until it is complete the old one stays (AtomicFile).
///
/// The same tensors give the same bytes, whatever their order: tensors stand by falling width of
/// type (I64, F64, F32, BOOL) and then by name, as the reference writer has them, metadata by name,
/// and spaces fill the header to a multiple of 8, so that every value is aligned. Views are written
/// row-major.
///
/// @param op  the function that errors name
/// @throws std::invalid_argument for an undefined tensor, a name that stands twice, is
/// `__metadata__` or not UTF-8, or a header past 100,000,000 bytes; std::runtime_error if the file
/// cannot be written. The old file is then as it was.
void save_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                      const std::map<std::string, std::string>& metadata = {},
                      const char* op = "save_safetensors");

}  // namespace gradwalk::nn
