#include "lessons/course/terminal/render_step.h"

#include <fmt/format.h>

namespace gradwalk::course {
namespace {

// Puts a part's name before its first line and blanks before the others.
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
  for (const auto& picture : step.pictures) {
    if (!lines.empty()) lines.emplace_back();
    append(lines, picture->draw(step, width, display));
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

Lines header_and_formula(const RunRecord& run, std::size_t at, int width) {
  Lines lines = header(run, at, width);
  Lines formulas;
  for (const std::string& formula : run.steps[at]->formulas) {
    append(formulas, wrapped(formula, width - kLabelWidth));
  }
  add_part(lines, "formula", formulas);
  return lines;
}

std::string choice_text(const PredictionRecord& prediction, std::size_t at) {
  return fmt::format("[{}] {}", at + 1, prediction.choices[at]);
}

// The question with its choices behind it where they fit, else below.
Lines question(const PredictionRecord& prediction, int width) {
  std::string choices;
  for (std::size_t at = 0; at < prediction.choices.size(); ++at) {
    choices += (at == 0 ? "" : "   ") + choice_text(prediction, at);
  }
  const std::string line = prediction.question + "   " + choices;
  if (display_width(line) <= width) return {Line(line)};
  Lines lines = wrapped(prediction.question, width);
  if (display_width(choices) <= width) {
    lines.emplace_back(choices);
  } else {
    for (std::size_t at = 0; at < prediction.choices.size(); ++at) {
      append(lines, wrapped(choice_text(prediction, at), width));
    }
  }
  return lines;
}

Line verdict_on(const PredictionRecord& prediction, std::size_t guess) {
  Line line(fmt::format("> {}   ", guess + 1));
  if (guess == prediction.right) return line.add("right", styles::kGood);
  return line.add("measured: ", styles::kWarn).add(choice_text(prediction, prediction.right));
}

void add_rest(Lines& lines, const RunRecord& run, std::size_t at, const Catalogue& catalogue,
              const Display& display) {
  const StepRecord& step = *run.steps[at];
  const int inner = display.width - kLabelWidth;
  add_part(lines, "numbers", render_numbers(step, inner));
  add_part(lines, "picture", pictures(step, inner, display));
  add_part(lines, "check", render_checks(run, step, catalogue, inner));
  add_part(lines, "why", wrapped(step.why, inner));
  add_part(lines, "try", commands(step.tries, inner));
}

}  // namespace

Lines render_step(const RunRecord& run, std::size_t at, const Catalogue& catalogue,
                  const Display& display) {
  Lines lines = header_and_formula(run, at, display.width);
  const auto guess = run.guesses.find(at);
  if (guess != run.guesses.end()) {
    const PredictionRecord& prediction = *run.steps[at]->prediction;
    Lines asked = question(prediction, display.width - kLabelWidth);
    asked.push_back(verdict_on(prediction, guess->second));
    add_part(lines, "predict", asked);
  }
  add_rest(lines, run, at, catalogue, display);
  return lines;
}

Lines render_question(const RunRecord& run, std::size_t at, const Display& display) {
  Lines lines = header_and_formula(run, at, display.width);
  add_part(lines, "predict", question(*run.steps[at]->prediction, display.width - kLabelWidth));
  return lines;
}

Lines render_answer(const RunRecord& run, std::size_t at, const Catalogue& catalogue,
                    const Display& display) {
  Lines lines;
  const auto guess = run.guesses.find(at);
  if (guess != run.guesses.end()) {
    add_part(lines, "", {verdict_on(*run.steps[at]->prediction, guess->second)});
  }
  add_rest(lines, run, at, catalogue, display);
  return lines;
}

}  // namespace gradwalk::course
