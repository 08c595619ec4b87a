#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/outcome.h"
#include "lessons/course/text/console.h"
#include "lessons/driver/run/options.h"

namespace gradwalk::commands {

/// What every command works with.
struct Context {
  const course::Console& console;
  const course::Catalogue& catalogue;
  std::vector<course::LessonFactory> lessons;

  bool single = false;  ///< a lesson's own executable: its words are those of `run N`
};

/// A first word that dispatch knows, and what it does.
struct Verb {
  std::string_view name;
  course::Exit (*command)(const Context&, const std::vector<std::string>&);
};

/// The verbs of this executable, in the order of the help page: the driver's are in
/// driver/verbs.cpp, a lesson's own executable has `run` alone.
std::span<const Verb> verbs();

/// Their names.
std::vector<std::string> verb_names();

/// Does what the words say and returns the exit code. Nothing is thrown; messages go to the
/// console's err.
course::Exit dispatch(const Context& context, const std::vector<std::string>& words);

/// How the display should look, by --color, --ascii and --width.
/// @throws UsageError for a value that is none
course::Display display_from(const Arguments& arguments, const course::Console& console,
                             bool to_terminal);

/// The verbs. @throws UsageError, InputError; what else they throw is our fault (exit 6)
course::Exit run(const Context& context, const std::vector<std::string>& words);
course::Exit list(const Context& context, const std::vector<std::string>& words);
course::Exit claims(const Context& context, const std::vector<std::string>& words);
course::Exit generate(const Context& context, const std::vector<std::string>& words);
course::Exit probe(const Context& context, const std::vector<std::string>& words);
course::Exit train(const Context& context, const std::vector<std::string>& words);
course::Exit help(const Context& context, const std::vector<std::string>& words);
course::Exit version(const Context& context, const std::vector<std::string>& words);

}  // namespace gradwalk::commands
