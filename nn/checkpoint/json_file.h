#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace gradwalk::nn {

/// A JSON file of at most `longest` bytes whose top is an object.
/// @throws std::runtime_error that names the file and the place of the fault
nlohmann::json read_json_object(const std::filesystem::path& path, std::size_t longest = 1 << 26);

}  // namespace gradwalk::nn
