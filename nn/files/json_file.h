#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace gradwalk::nn {

/// A JSON file of at most `longest` bytes and 64 levels whose top is an object. A key stands once
/// in its object: with two it would be a matter of the reader which one counts.
/// @param op  the function that errors name
/// @throws std::runtime_error that names the file and the place of the fault
nlohmann::json read_json_object(const char* op, const std::filesystem::path& path,
                                std::size_t longest = 1 << 26);

}  // namespace gradwalk::nn
