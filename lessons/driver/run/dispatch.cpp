#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/text/parse.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/suggest.h"
#include "lessons/driver/run/context.h"

namespace gradwalk::commands {
namespace {

using course::Exit;

// The verb that the first word stands for; no word at all asks for help.
std::string_view verb_of(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return "help";
  return words[0] == "--version" ? std::string_view("version") : std::string_view(words[0]);
}

Exit command(const Context& context, const std::vector<std::string>& words) {
  if (context.single) return run(context, words);
  const std::string_view first = verb_of(words);
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  for (const Verb& verb : verbs()) {
    if (first == verb.name) return verb.command(context, rest);
  }
  throw UsageError(course::unknown("verb", words[0], verb_names()));
}

std::string program(const Context& context, const std::vector<std::string>& words) {
  if (context.single) return context.lessons[0]().executable();
  return words.empty() ? "gradwalk" : "gradwalk " + words[0];
}

}  // namespace

course::Display display_from(const Arguments& arguments, const course::Console& console,
                             bool to_terminal) {
  course::Looks looks;
  if (arguments.has("color")) {
    looks.color = arguments.value("color");
    if (looks.color != "auto" && looks.color != "always" && looks.color != "never") {
      throw UsageError(
          fmt::format("--color: expected auto, always or never, got '{}'", looks.color));
    }
  }
  looks.ascii = arguments.has("ascii");
  if (arguments.has("width")) {
    const auto width = course::parse_whole(arguments.value("width"));
    constexpr std::int64_t kMost = 10000;
    if (!width || *width < 1 || *width > kMost) {
      throw UsageError(
          fmt::format("--width: expected a number of columns, got '{}'", arguments.value("width")));
    }
    looks.width = static_cast<int>(*width);
  }
  return course::display_for(looks, console, to_terminal);
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  return names;
}

Exit dispatch(const Context& context, const std::vector<std::string>& words) {
  try {
    return command(context, words);
  } catch (const UsageError& error) {
    const std::string page = context.single ? context.lessons[0]().executable() + " --help"
                                            : course::launcher_command("help");
    context.console.err(
        fmt::format("{}: {}\nsee: {}\n", program(context, words), error.what(), page));
    return Exit::kUsage;
  } catch (const course::InputError& error) {
    context.console.err(fmt::format("{}\n", error.what()));
    return Exit::kInput;
  } catch (const std::exception& error) {
    context.console.err(fmt::format("internal error: {}\n", error.what()));
    return Exit::kInternal;
  }
}

}  // namespace gradwalk::commands
