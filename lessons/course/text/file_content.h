#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gradwalk::course {

/// All bytes of a file.
/// @throws std::runtime_error "cannot be read: " and the reason, without the name
std::string file_content(const std::filesystem::path& path);

/// All or nothing; makes the folder if need be.
/// @throws std::runtime_error that names the file and the reason
void write_result(const std::filesystem::path& path, std::string_view content);

}  // namespace gradwalk::course
