#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// Everything that a command has to do with the outside: two texts go out, lines come in. Tests
/// fill it in themselves.
struct Console {
  using Write = std::function<void(std::string_view)>;

  Write out;  ///< stdout
  Write err;  ///< stderr
  std::function<std::optional<std::string>()>
      read_line;                     ///< none at the end of the input, or when interrupted
  std::function<int()> interrupted;  ///< 0, or the signal that asks to stop
  std::function<std::string(const char*)> variable;  ///< of the environment; empty if not set

  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int terminal_width = 0;  ///< 0: unknown
  bool utf8 = false;       ///< by the locale
};

/// What the command line says about looks.
struct Looks {
  std::string color = "auto";  ///< "auto", "always" or "never"
  bool ascii = false;
  int width = 0;  ///< 0: the terminal's, or 80
};

/// Colour by --color, then a non-empty NO_COLOR, then a non-empty FORCE_COLOR, then whether a
/// terminal is written to and TERM is not dumb. Width 60 to 160.
Display display_for(const Looks& looks, const Console& console, bool to_terminal);

/// The console of this process.
Console process_console();

}  // namespace gradwalk::course
