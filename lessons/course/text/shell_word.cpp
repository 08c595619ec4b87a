#include "lessons/course/text/shell_word.h"

namespace gradwalk::course {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";  // out of the quotes, one by itself, in again
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string launcher_command(std::string_view words) { return "./gradwalk " + std::string(words); }

}  // namespace gradwalk::course
