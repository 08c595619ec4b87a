#include "lessons/driver/run/option_values.h"

#include <fmt/format.h>

#include "lessons/course/text/parse.h"
#include "tensor/threads.h"

namespace gradwalk::commands {

std::int64_t whole_option(const Arguments& arguments, const std::string& name,
                          std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  if (!arguments.has(name)) return otherwise;
  const auto value = course::parse_whole(arguments.value(name));
  if (value && *value >= least && *value <= most) return *value;
  const bool open = most == std::numeric_limits<std::int64_t>::max();
  throw UsageError(fmt::format("--{}: expected {}, got '{}'", name,
                               open ? fmt::format("a whole number >= {}", least)
                                    : fmt::format("a number from {} to {}", least, most),
                               arguments.value(name)));
}

double number_option(const Arguments& arguments, const std::string& name, double otherwise,
                     const char* expected, bool (*fits)(double)) {
  if (!arguments.has(name)) return otherwise;
  const auto value = course::parse_number(arguments.value(name));
  if (value && fits(*value)) return *value;
  throw UsageError(
      fmt::format("--{}: expected {}, got '{}'", name, expected, arguments.value(name)));
}

std::uint64_t seed_option(const Arguments& arguments) {
  return static_cast<std::uint64_t>(whole_option(arguments, "seed", 1));
}

void apply_threads(const Arguments& arguments, int otherwise) {
  constexpr std::int64_t kMost = 1024;
  const std::int64_t threads = whole_option(arguments, "threads", otherwise, /*least=*/1, kMost);
  set_num_threads(static_cast<int>(threads));
}

}  // namespace gradwalk::commands
