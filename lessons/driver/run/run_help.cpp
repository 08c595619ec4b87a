#include <fmt/format.h>

#include "lessons/course/engine/session.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/run/run_options.h"

namespace gradwalk::commands {
namespace {

using course::Line;
using course::Lines;

constexpr int kColumn = 34;

void add(Lines& lines, const std::string& name, const std::string& what, int width) {
  const std::vector<std::string> parts = course::wrap(what, width - kColumn);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Line line;
    line.add(i == 0 ? "  " + name : "", course::styles::kCommand).pad_to(kColumn);
    if (i == 0 && line.width() > kColumn) {
      lines.push_back(std::move(line));
      line = Line();
      line.pad_to(kColumn);
    }
    lines.push_back(line.add(parts[i]));
  }
}

void add_parameters(Lines& lines, const course::Lesson& lesson, int width) {
  for (const course::Parameter& one : lesson.parameters()) {
    std::string what = fmt::format("{}; {} in [{}, {}]", one.what, course::format_exact(one.value),
                                   course::format_exact(one.min), course::format_exact(one.max));
    if (one.whole) what += ", whole";
    if (one.quick && *one.quick != one.value) {
      what += fmt::format("; {} under --quick", course::format_exact(*one.quick));
    }
    add(lines, fmt::format("--set={}=VALUE", one.name), what, width);
  }
}

void add_breaks(Lines& lines, const course::Lesson& lesson, const course::Catalogue& catalogue,
                int width) {
  for (const course::Break& one : lesson.breaks()) {
    std::string flips;
    for (const std::string& id : catalogue.flips(lesson.number(), one.name)) flips += " " + id;
    add(lines, "--break=" + one.name, fmt::format("{}; flips{}", one.what, flips), width);
  }
}

// What t, g and c can show, found by running the lesson in its quick form.
void add_tensors(Lines& lines, const course::Lesson& lesson, int width) {
  course::Settings settings;
  settings.quick = true;
  for (std::size_t at = 0; at < lesson.step_count(); ++at) {
    const course::StepRecord step = lesson.run_step(at, settings);
    std::string text;
    for (const course::TensorRecord& tensor : step.tensors) {
      text += (text.empty() ? "" : "  ") + tensor.name + tensor.shape_text();
    }
    add(lines, fmt::format("step {}", at + 1), text.empty() ? "none" : text, width);
  }
}

}  // namespace

Lines run_help(const Context& context, const RunOptions& options) {
  const int width = options.display.width;
  Lines lines;
  const auto heading = [&](const std::string& text) {
    if (!lines.empty()) lines.emplace_back();
    for (const std::string& part : course::wrap(text, width)) {
      lines.emplace_back(part, course::styles::kTitle);
    }
  };
  heading(context.single ? context.lessons[0]().executable() + " [OPTIONS]"
                         : course::launcher_command("run N[,M|N-M|all] [OPTIONS]"));
  for (Line& line : option_help(run_option_specs(), width)) lines.push_back(std::move(line));
  for (const course::LessonFactory& factory : options.lessons) {
    const course::Lesson lesson = factory();
    heading(fmt::format("Lesson {}  {}: parameters", lesson.number(), lesson.title()));
    if (lesson.parameters().empty()) lines.emplace_back("  none");
    add_parameters(lines, lesson, width);
    heading("breaks, with the claims that must flip");
    if (lesson.breaks().empty()) lines.emplace_back("  none");
    add_breaks(lines, lesson, context.catalogue, width);
    heading("tensors for t, g and c in --step");
    add_tensors(lines, lesson, width);
  }
  return lines;
}

}  // namespace gradwalk::commands
