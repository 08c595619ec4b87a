#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace gradwalk::nn {

/// Which file each tensor of a model in pieces is in, from its index: {"weight_map": {name: file}}.
/// A file is named without a folder, so that an index reaches nothing outside of its own.
/// @param op  the function that errors name
/// @throws std::runtime_error that names the rule, the tensor and the file
std::map<std::string, std::string> read_weight_map(const char* op,
                                                   const std::filesystem::path& path);

}  // namespace gradwalk::nn
