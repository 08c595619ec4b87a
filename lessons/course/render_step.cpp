#include "lessons/course/render_step.h"

#include <fmt/core.h>

#include "lessons/course/draw_matrix.h"
#include "lessons/course/pictures.h"

namespace gradwalk::course {
namespace {

constexpr int kLabelWidth = 12;

/// Puts a part's name before its first line and blanks before the others.
void add_part(Lines& lines, const std::string& label, const Lines& content) {
  for (std::size_t i = 0; i < content.size(); ++i) {
    Line line;
    line.add(pad_right(i == 0 ? "  " + label : "", kLabelWidth), styles::kLabel).add(content[i]);
    lines.push_back(std::move(line));
  }
}

Lines wrapped(const std::string& text, int width, Style style = {}) {
  Lines lines;
  for (const std::string& part : wrap(text, width)) lines.emplace_back(part, style);
  return lines;
}

void append(Lines& lines, Lines more) {
  for (Line& line : more) lines.push_back(std::move(line));
}

Lines header(const RunRecord& run, std::size_t at, int width) {
  const std::string left = fmt::format("Lesson {}  {}", run.lesson, run.title);
  std::string right =
      fmt::format("step {} of {}   seed {}", at + 1, run.step_titles.size(), run.seed);
  if (run.quick) right += "   quick";
  Lines lines;
  Line first;
  if (display_width(left) + 2 + display_width(right) <= width) {
    first.add(left, styles::kTitle).pad_to(width - display_width(right)).add(right, styles::kDim);
    lines.push_back(std::move(first));
  } else {
    append(lines, wrapped(left, width, styles::kTitle));
    lines.emplace_back(right, styles::kDim);
  }
  std::string changed;
  for (const std::string& name : run.breaks) changed += "   break " + name;
  for (const auto& [name, value] : run.set) changed += fmt::format("   {} = {:.6g}", name, value);
  if (!changed.empty()) append(lines, wrapped("changed" + changed, width, styles::kWarn));
  append(lines, wrapped(run.steps[at]->title, width, styles::kTitle));
  return lines;
}

Lines pictures(const StepRecord& step, int width, const Display& display) {
  Lines lines;
  for (const PictureRecord& picture : step.pictures) {
    if (!lines.empty()) lines.emplace_back();
    if (const auto* bars = std::get_if<BarsRecord>(&picture)) {
      append(lines, draw_bars(*bars, width, display));
    } else if (const auto* curves = std::get_if<CurvesRecord>(&picture)) {
      append(lines, draw_curves(*curves, width, display));
    } else if (const auto* plane = std::get_if<PlaneRecord>(&picture)) {
      append(lines, draw_plane(*plane, width, display));
    } else if (const auto* heatmap = std::get_if<HeatmapRecord>(&picture)) {
      append(lines, draw_heatmap(*heatmap, step, width, display));
    }
  }
  return lines;
}

Lines commands(const std::vector<std::string>& tries, int width) {
  Lines lines;
  Line line;
  for (const std::string& command : tries) {
    if (!line.empty() && line.width() + 5 + display_width(command) > width) {
      lines.push_back(std::move(line));
      line = Line();
    }
    if (!line.empty()) line.add("     ");
    if (display_width(command) > width) {
      append(lines, wrapped(command, width, styles::kCommand));
    } else {
      line.add(command, styles::kCommand);
    }
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

Lines render_step(const RunRecord& run, std::size_t at, const Catalogue& catalogue,
                  const Display& display) {
  const StepRecord& step = *run.steps[at];
  const int inner = display.width - kLabelWidth;
  Lines lines = header(run, at, display.width);
  Lines formulas;
  for (const std::string& formula : step.formulas) append(formulas, wrapped(formula, inner));
  add_part(lines, "formula", formulas);
  add_part(lines, "numbers", render_numbers(step, inner));
  add_part(lines, "picture", pictures(step, inner, display));
  add_part(lines, "check", render_checks(run, step, catalogue, inner));
  add_part(lines, "why", wrapped(step.why, inner));
  add_part(lines, "try", commands(step.tries, inner));
  return lines;
}

}  // namespace gradwalk::course
