#pragma once

#include <string>
#include <string_view>

namespace gradwalk::course {

/// A word as a shell reads it back, in quotes only if it needs them: for commands to be pasted.
std::string shell_word(std::string_view word);

}  // namespace gradwalk::course
