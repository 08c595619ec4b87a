#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lessons/course/engine/environment.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/commands/help_word.h"
#include "lessons/driver/run/context.h"

namespace gradwalk::commands {
namespace {

struct HelpLine {
  const char* words;
  const char* what;
};

constexpr std::array<HelpLine, 10> kLines = {{
    {"list", "the lessons, their claims and last verdicts"},
    {"run 4 --step", "a lesson, step by step"},
    {"run all", "all lessons; the ledger at the end"},
    {"claims [ID]", "the ledger, or one claim with its evidence"},
    {"generate MODEL", "a language model continues a text"},
    {"train TEXT --out=DIR", "a small GPT learns the characters of a text"},
    {"probe FILE", "what a checkpoint was read as, and what its heads do"},
    {"version", "version, compiler, instruction set, build id"},
    {"help [VERB|WORD]", "this page, a verb's options, a word's meaning"},
    {"help words", "the words that the course explains"},
}};

constexpr const char* kExitCodes =
    "exit codes\n"
    "  0  every outcome is the catalogued one     4  an input file is unreadable\n"
    "  1  an outcome differs, or a check failed   5  an unexpected NaN or Inf\n"
    "  2  the command line is wrong               6  an internal error\n"
    "  3  undecided, or nothing ran               130, 143  interrupted\n";

const std::vector<std::string> kHelpPage = {"--help"};

std::string help_page() {
  std::string page =
      "gradwalk: attention from scratch, and a course that checks what is said about it\n\n";
  for (const HelpLine& line : kLines) {
    page += fmt::format("  {:<32} {}\n", course::launcher_command(line.words), line.what);
  }
  return page + "\n" + course::launcher_command("run N --help") +
         " lists a lesson's parameters, breaks and tensors.\n\n" + kExitCodes;
}

void require_nothing(const std::string& verb, const std::vector<std::string>& words) {
  if (words.empty()) return;
  throw UsageError(fmt::format("{} takes no further words, got '{}'", verb, words[0]));
}

}  // namespace

course::Exit help(const Context& context, const std::vector<std::string>& words) {
  if (words.empty() || words == kHelpPage) {
    context.console.out(help_page());
    return course::Exit::kOk;
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words[0] == "words") return help_words(context, rest);
  const std::vector<std::string> verbs = verb_names();
  if (std::find(verbs.begin(), verbs.end(), words[0]) == verbs.end()) {
    return help_word(context, fmt::format("{}", fmt::join(words, " ")), verbs);
  }
  require_nothing("help", rest);
  return dispatch(context, {words[0], "--help"});
}

course::Exit version(const Context& context, const std::vector<std::string>& words) {
  if (words == kHelpPage) return help(context, {});
  require_nothing("version", words);
  const course::Environment here = course::this_environment();
  context.console.out(fmt::format("gradwalk {}\n{}, {}, {}\nbuild id {}\n", here.version,
                                  here.compiler, here.flags, here.simd, here.build_id));
  return course::Exit::kOk;
}

}  // namespace gradwalk::commands
