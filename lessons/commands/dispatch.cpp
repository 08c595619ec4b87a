#include <fmt/core.h>

#include <array>
#include <exception>
#include <string_view>

#include "lessons/commands/context.h"
#include "lessons/course/ledger.h"
#include "lessons/course/parse.h"
#include "lessons/course/shell_word.h"
#include "lessons/course/suggest.h"

namespace gradwalk::commands {
namespace {

using course::Exit;

struct Verb {
  std::string_view name;
  Exit (*command)(const Context&, const std::vector<std::string>&);
};

constexpr std::array<Verb, 8> kVerbs = {{{"help", help},
                                         {"version", version},
                                         {"list", list},
                                         {"run", run},
                                         {"claims", claims},
                                         {"generate", generate},
                                         {"train", train},
                                         {"probe", probe}}};

Exit command(const Context& context, const std::vector<std::string>& words) {
  if (context.single) return run(context, words);
  if (words.empty()) return help(context, {});
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] == "--help" || words[0] == "-h") return help(context, rest);
  if (words[0] == "--version") return version(context, rest);
  for (const Verb& verb : kVerbs) {
    if (words[0] == verb.name) {
      const bool page = rest.size() == 1 && rest[0] == "--help";
      const bool plain = verb.name == "help" || verb.name == "version";
      return page && plain ? help(context, {}) : verb.command(context, rest);
    }
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
    constexpr int64_t kMost = 10000;
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
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
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
