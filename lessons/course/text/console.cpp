#include "lessons/course/text/console.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "lessons/course/text/interrupt.h"

namespace gradwalk::course {
namespace {

constexpr int kNarrowest = 60;
constexpr int kWidest = 160;
constexpr int kUsualWidth = 80;

// The locale of the environment, looked at without making it this process's.
bool locale_is_utf8() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const std::string codeset = nl_langinfo_l(CODESET, locale);
  freelocale(locale);
  return codeset == "UTF-8";
}

int width_of_terminal() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Lines of standard input, read without stdio so that a signal ends the wait.
class LineReader {
 public:
  std::optional<std::string> next() {
    while (true) {
      const std::size_t newline = buffer_.find('\n');
      if (newline != std::string::npos) return take(newline, newline + 1);
      char chunk[4096];
      const ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
      if (got > 0) {
        buffer_.append(chunk, static_cast<std::size_t>(got));
      } else if (got == 0 && !buffer_.empty()) {
        return take(buffer_.size(), buffer_.size());
      } else if (got == 0 || errno != EINTR || interrupt_signal() != 0) {
        return std::nullopt;
      }
    }
  }

 private:
  std::string take(std::size_t length, std::size_t consumed) {
    std::string line = buffer_.substr(0, length);
    buffer_.erase(0, consumed);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }

  std::string buffer_;
};

// A signal that is caught cuts a write to a full pipe short; what is left is written then. Any
// other error ends it: the reader is gone, or the disk is full, and nobody is left to be told.
void write_to(std::FILE* file, std::string_view text) {
  std::fflush(file);
  while (!text.empty()) {
    const ssize_t written = ::write(fileno(file), text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

Display display_for(const Looks& looks, const Console& console, bool to_terminal) {
  Display display;
  const int width = looks.width > 0              ? looks.width
                    : console.terminal_width > 0 ? console.terminal_width
                                                 : kUsualWidth;
  display.width = std::clamp(width, kNarrowest, kWidest);
  display.ascii = looks.ascii || !console.utf8;
  if (looks.color != "auto") {
    display.color = looks.color == "always";
  } else if (!console.variable("NO_COLOR").empty()) {
    display.color = false;
  } else if (!console.variable("FORCE_COLOR").empty()) {
    display.color = true;
  } else {
    display.color = to_terminal && console.variable("TERM") != "dumb";
  }
  return display;
}

Console process_console() {
  Console console;
  console.out = [](std::string_view text) { write_to(stdout, text); };
  console.err = [](std::string_view text) { write_to(stderr, text); };
  console.in_is_terminal = isatty(STDIN_FILENO) == 1;
  console.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = isatty(STDERR_FILENO) == 1;
  console.terminal_width = width_of_terminal();
  console.utf8 = locale_is_utf8();
  console.variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  console.interrupted = interrupt_signal;
  console.read_line = [reader = std::make_shared<LineReader>(),
                       terminal = console.in_is_terminal]() -> std::optional<std::string> {
    // Keys typed while a step computed are dropped.
    if (terminal) tcflush(STDIN_FILENO, TCIFLUSH);
    return reader->next();
  };
  return console;
}

}  // namespace gradwalk::course
