#include <fmt/format.h>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/terminal/course_page.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/text_table.h"
#include "lessons/driver/run/context.h"

namespace gradwalk::commands {
namespace {

// Counts in the order of the claims: "1 REFUTED, 2 CORRECTED".
std::string verdicts(const std::vector<const course::CatalogueClaim*>& claims,
                     const course::Ledger& ledger) {
  std::string text;
  for (const course::CatalogueClaim* claim : claims) {
    const auto record = ledger.claims.find(claim->id);
    if (record == ledger.claims.end()) continue;
    text += (text.empty() ? "" : ", ") + claim->id + " " + name(record->second.claim.verdict);
  }
  return text.empty() ? "not run yet" : text;
}

}  // namespace

course::Exit list(const Context& context, const std::vector<std::string>& words) {
  const std::vector<OptionSpec> specs =
      with_look_options({{"page", "", "as a table of Markdown, which docs/index.md has"}});
  const Arguments arguments("list", specs, words);
  const course::Display display =
      display_from(arguments, context.console, context.console.out_is_terminal);
  if (!arguments.rest().empty()) {
    throw UsageError(fmt::format("expected options only, got '{}'", arguments.rest()[0]));
  }
  if (arguments.has("help")) {
    context.console.out(course::launcher_command("list [OPTIONS]") +
                        ": the lessons with their claims and last verdicts\n");
    context.console.out(course::paint(option_help(specs, display.width), display));
    return course::Exit::kOk;
  }
  const course::Ledger ledger = course::read_ledger(course::ledger_path());
  if (arguments.has("page")) {
    context.console.out(course::course_page(context.lessons, context.catalogue, ledger));
    return course::Exit::kOk;
  }
  std::vector<std::vector<course::TextCell>> rows;
  for (const course::LessonFactory& factory : context.lessons) {
    const course::Lesson lesson = factory();
    const auto claims = context.catalogue.of_lesson(lesson.number());
    std::string ids;
    for (const course::CatalogueClaim* claim : claims) {
      ids += (ids.empty() ? "" : " ") + claim->id;
    }
    const auto time = ledger.lessons.find(lesson.number());
    const std::string seconds = time == ledger.lessons.end()
                                    ? "-"
                                    : fmt::format("{:.2f}{}", time->second.seconds,
                                                  time->second.mode == "quick" ? " quick" : "");
    rows.push_back({{fmt::format("{:02}", lesson.number()), course::styles::kTitle},
                    {lesson.title(), {}},
                    {ids.empty() ? "-" : ids, {}},
                    {seconds, {}},
                    {verdicts(claims, ledger), {}}});
  }
  const course::Lines lines = course::draw_text_table({{"#", false},
                                                       {"title", true},
                                                       {"claims", true},
                                                       {"seconds", false},
                                                       {"last verdicts", true}},
                                                      rows, display.width);
  context.console.out(course::paint(lines, display));
  return course::Exit::kOk;
}

}  // namespace gradwalk::commands
