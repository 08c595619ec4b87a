#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lessons/commands/context.h"
#include "lessons/commands/help_word.h"
#include "lessons/course/environment.h"

namespace gradwalk::commands {
namespace {

constexpr const char* kHelp =
    "gradwalk: attention from scratch, and a course that checks what is said about it\n"
    "\n"
    "  gradwalk list                 the lessons, with their claims and last verdicts\n"
    "  gradwalk run 4 --step         a lesson, step by step\n"
    "  gradwalk run all              all lessons; the ledger at the end\n"
    "  gradwalk claims [ID]          the ledger, or one claim with its evidence\n"
    "  gradwalk generate MODEL       a language model's file or folder continues a text\n"
    "  gradwalk train TEXT --out=DIR a small GPT learns the characters of a text\n"
    "  gradwalk version              version, compiler, instruction set, build id\n"
    "  gradwalk help [VERB|WORD]     this page, the options of a verb, or what a word means\n"
    "  gradwalk help words           the words that the course explains\n"
    "\n"
    "gradwalk run N --help lists a lesson's parameters, breaks and tensors.\n"
    "\n"
    "exit codes\n"
    "  0  every outcome is the catalogued one     4  an input file is unreadable\n"
    "  1  an outcome differs, or a check failed   5  an unexpected NaN or Inf\n"
    "  2  the command line is wrong               6  an internal error\n"
    "  3  undecided, or nothing ran               130, 143  interrupted\n";

void require_nothing(const std::string& verb, const std::vector<std::string>& words) {
  if (words.empty()) return;
  throw UsageError(fmt::format("{} takes no further words, got '{}'", verb, words[0]));
}

}  // namespace

course::Exit help(const Context& context, const std::vector<std::string>& words) {
  if (words.empty()) {
    context.console.out(kHelp);
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
  require_nothing("version", words);
  const course::Environment here = course::this_environment();
  context.console.out(fmt::format("gradwalk {}\n{}, {}, {}\nbuild id {}\n", here.version,
                                  here.compiler, here.flags, here.simd, here.build_id));
  return course::Exit::kOk;
}

}  // namespace gradwalk::commands
