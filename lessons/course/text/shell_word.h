#pragma once

#include <string>
#include <string_view>

namespace gradwalk::course {

/// A word as a shell reads it back, in quotes only if it needs them: for commands to be pasted.
std::string shell_word(std::string_view word);

/// A command of the driver as all are printed, to be pasted in the root of the repository, where
/// the launcher stands: "./gradwalk run 4" of "run 4".
std::string launcher_command(std::string_view words);

}  // namespace gradwalk::course
