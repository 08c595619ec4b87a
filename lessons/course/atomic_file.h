#pragma once

#include <filesystem>
#include <string_view>

namespace gradwalk::course {

/// Writes a whole file or none: a temporary file beside it, flushed to the disk, then renamed. A
/// link is followed; a device or a pipe is written to as it is.
/// @throws std::runtime_error that names the file and the system's reason; then the old file is as
/// it was
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace gradwalk::course
