#include "lessons/driver/commands/help_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lessons/course/engine/glossary.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/suggest.h"

namespace gradwalk::commands {
namespace {

using course::Line;
using course::Lines;

course::Display display_of(const Context& context) {
  return course::display_for({}, context.console, context.console.out_is_terminal);
}

void add_part(Lines& lines, const std::string& label, const std::string& text, int width) {
  constexpr int kIndent = 12;
  bool first = true;
  for (const std::string& part : course::wrap(text, width - kIndent)) {
    Line line;
    line.add("  " + (first ? label : ""), course::styles::kLabel);
    lines.push_back(line.pad_to(kIndent).add(part));
    first = false;
  }
}

bool exists(const Context& context, int lesson) {
  return std::any_of(context.lessons.begin(), context.lessons.end(),
                     [&](const course::LessonFactory& one) { return one().number() == lesson; });
}

}  // namespace

course::Exit help_words(const Context& context, const std::vector<std::string>& words) {
  const std::vector<course::GlossaryWord> all = course::parse_glossary(course::glossary_json());
  if (words == std::vector<std::string>{"--page"}) {
    context.console.out(course::glossary_page(all));
    return course::Exit::kOk;
  }
  if (!words.empty())
    throw UsageError(fmt::format("help words: expected --page, got '{}'", words[0]));
  std::vector<std::string> names;
  for (const course::GlossaryWord& word : all) names.push_back(word.word);
  const course::Display display = display_of(context);
  Lines lines;
  for (std::string& part :
       course::wrap(fmt::format("{}", fmt::join(names, ",  ")), display.width)) {
    lines.emplace_back(std::move(part));
  }
  lines.emplace_back();
  lines.emplace_back(course::launcher_command("help WORD") + " says what one means.");
  context.console.out(course::paint(lines, display));
  return course::Exit::kOk;
}

course::Exit help_word(const Context& context, const std::string& name,
                       const std::vector<std::string>& verbs) {
  const std::vector<course::GlossaryWord> all = course::parse_glossary(course::glossary_json());
  const course::GlossaryWord* word = course::find_word(all, name);
  if (word == nullptr) {
    std::vector<std::string> names = course::glossary_names(all);
    names.insert(names.end(), verbs.begin(), verbs.end());
    throw UsageError(course::unknown("word or verb", name, names, 3));
  }
  const course::Display display = display_of(context);
  Lines lines;
  Line title(word->word, course::styles::kTitle);
  if (!word->also.empty()) title.add(fmt::format("  ({})", fmt::join(word->also, ", ")));
  lines.push_back(title);
  for (const std::string& part : course::wrap(word->text, display.width - 2)) {
    lines.emplace_back("  " + part);
  }
  if (!word->formula.empty()) add_part(lines, "formula", word->formula, display.width);
  if (!word->related.empty()) {
    add_part(lines, "see also", fmt::format("{}", fmt::join(word->related, ", ")), display.width);
  }
  if (exists(context, word->lesson)) {
    add_part(lines, "seen in",
             fmt::format("lesson {}: {}", word->lesson,
                         course::launcher_command(fmt::format("run {}", word->lesson))),
             display.width);
  }
  context.console.out(course::paint(lines, display));
  return course::Exit::kOk;
}

}  // namespace gradwalk::commands
