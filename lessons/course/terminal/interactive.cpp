#include "lessons/course/terminal/interactive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lessons/course/pictures/matrix.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/parse.h"
#include "lessons/course/text/suggest.h"

namespace gradwalk::course {
namespace {

constexpr const char* kKeys =
    "[enter] next  [t] tensor  [g] grad  [c] trace  [s] set  [x] break  [b] back  [q] quit  [?]";
constexpr const char* kShortKeys =
    "[enter] next  [t]ensor  [g]rad  [c] trace  [s]et  [x] break  [b]ack  [q]uit  [?]";

constexpr std::pair<const char*, const char*> kHelp[] = {
    {"(empty)", "the next step"},
    {"t NAME [--all]", "a tensor of this step or an earlier one: numbers, shades, statistics"},
    {"g NAME", "the gradient of the loss at NAME, with its check"},
    {"c NAME[i,j]", "how one element comes about, term by term; indices count from 0"},
    {"s NAME=VALUE", "change a parameter and rerun from the first step that reads it"},
    {"x NAME", "switch a break on or off and rerun from the first step that asks for it"},
    {"b", "back to the step before; it is drawn again, not computed again"},
    {"q", "quit; claims that were not reached count as skipped"},
};

// "element c NAME[i,j]" as a name and an index; false if it is malformed.
bool parse_element(const std::string& text, std::string& name, Index& index) {
  const std::size_t bracket = text.find('[');
  name = trimmed(text.substr(0, bracket));
  if (bracket == std::string::npos) return !name.empty();
  if (text.back() != ']') return false;
  for (const std::string& part : split(text.substr(bracket + 1, text.size() - bracket - 2), ',')) {
    const auto number = parse_whole(trimmed(part));
    if (!number) return false;
    index.push_back(*number);
  }
  return !name.empty();
}

}  // namespace

std::string joined(const std::vector<std::string>& items) {
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, "  "));
}

Interactive::Interactive(Session& session, const Catalogue& catalogue, const Console& console,
                         Console::Write write, Display display, bool prompt)
    : session_(session),
      catalogue_(catalogue),
      console_(console),
      write_(std::move(write)),
      display_(display),
      prompt_(prompt) {}

std::optional<std::string> Interactive::read_line(const std::string& keys) {
  if (prompt_) {
    for (const std::string& part : wrap(keys, display_.width)) {
      write({Line(part, styles::kDim)});
    }
    write_("> ");
  }
  const std::optional<std::string> line = console_.read_line();
  if (!line) {
    if (prompt_) write_("\n");
    input_ended_ = true;
    return std::nullopt;
  }
  if (!prompt_) write_(line->empty() ? ">\n" : fmt::format("> {}\n", *line));
  return trimmed(*line);
}

bool Interactive::predict() {
  const std::size_t at = session_.steps_run() - 1;
  const RunRecord& record = session_.record();
  const auto& prediction = record.steps[at]->prediction;
  if (!prediction || input_ended_) {
    show(at);
    return true;
  }
  const std::size_t choices = prediction->choices.size();
  write(render_question(record, at, display_));
  for (bool answered = false; !answered;) {
    const auto line = read_line(fmt::format("[1-{}] your guess  [enter] pass  [q] quit", choices));
    if (!line && console_.interrupted() != 0) return false;
    if (line == "q") return false;
    const auto choice = line ? parse_whole(*line) : std::nullopt;
    if (choice && *choice >= 1 && *choice <= static_cast<std::int64_t>(choices)) {
      session_.guess(at, static_cast<std::size_t>(*choice - 1));
      answered = true;
    } else if (!line || line->empty()) {
      answered = true;
    } else {
      say(fmt::format("expected a number from 1 to {}, an empty line or q, got '{}'", choices,
                      *line));
    }
  }
  write(render_answer(record, at, catalogue_, display_));
  write_("\n");
  return true;
}

bool Interactive::after_step(bool shown) {
  at_ = session_.steps_run() - 1;
  if (!shown) show(at_);
  while (!input_ended_) {
    const bool fits = display_width(kKeys) <= display_.width;
    const std::optional<std::string> line = read_line(fits ? kKeys : kShortKeys);
    if (!line) {
      if (console_.interrupted() != 0) return false;
      break;
    }
    const Next next = command(*line);
    if (next == Next::kLeave) return false;
    if (next == Next::kForward) {
      if (at_ + 1 == session_.steps_run()) return true;
      forward();
    }
  }
  while (at_ + 1 < session_.steps_run()) forward();
  return true;
}

Interactive::Next Interactive::command(const std::string& line) {
  if (line.empty()) return Next::kForward;
  const std::size_t blank = line.find(' ');
  const std::string verb = line.substr(0, blank);
  const std::string argument = blank == std::string::npos ? "" : trimmed(line.substr(blank));
  const bool bare = verb == "q" || verb == "b" || verb == "?";
  if (bare && !argument.empty()) {
    say(fmt::format("{} takes no argument, got '{}'", verb, argument));
  } else if (verb == "q") {
    return Next::kLeave;
  } else if (verb == "b") {
    back();
  } else if (verb == "?") {
    help();
  } else if (verb == "t" || verb == "g") {
    look(argument, verb == "g");
  } else if (verb == "c") {
    trace(argument);
  } else if (verb == "s") {
    set(argument);
  } else if (verb == "x") {
    toggle(argument);
  } else {
    say(fmt::format("unknown command '{}', expected t, g, c, b, s, x, q, ? or an empty line",
                    verb));
  }
  return Next::kStay;
}

void Interactive::show(std::size_t step) {
  write(render_step(session_.record(), step, catalogue_, display_));
  write_("\n");
}

void Interactive::write(const Lines& lines) { write_(paint(lines, display_)); }

void Interactive::say(const std::string& text) {
  Lines lines;
  for (const std::string& part : wrap(text, display_.width - 2)) lines.emplace_back("  " + part);
  write(lines);
}

std::vector<std::string> Interactive::names(bool gradients_only) const {
  std::vector<std::string> names;
  for (const TensorRecord& tensor : session_.record().steps[at_]->tensors) {
    if (!gradients_only || tensor.gradient) names.push_back(tensor.name);
  }
  return names;
}

const TensorRecord* Interactive::find(const std::string& name) {
  if (const TensorRecord* tensor = session_.record().find_tensor(name, at_)) return tensor;
  std::vector<std::string> known;
  for (std::size_t step = 0; step <= at_; ++step) {
    for (const TensorRecord& tensor : session_.record().steps[step]->tensors) {
      if (std::find(known.begin(), known.end(), tensor.name) == known.end()) {
        known.push_back(tensor.name);
      }
    }
  }
  say(unknown("tensor", name, known, 3));
  say(fmt::format("this step has: {}", joined(names(false))));
  return nullptr;
}

void Interactive::look(const std::string& argument, bool gradient) {
  std::vector<std::string> words;
  bool all = false;
  for (const std::string& word : split(argument, ' ')) {
    if (word == "--all") {
      all = true;
    } else if (!word.empty()) {
      words.push_back(word);
    }
  }
  if (words.size() != 1) {
    say(fmt::format("expected {} NAME [--all]; this step has: {}", gradient ? "g" : "t",
                    joined(names(gradient))));
    return;
  }
  const RunRecord& record = session_.record();
  std::string name = words[0];
  if (gradient && record.find_tensor("d" + name, at_) != nullptr) name = "d" + name;
  const TensorRecord* tensor = find(name);
  if (tensor == nullptr) return;
  if (gradient && !tensor->gradient) {
    say(fmt::format("no step so far has the gradient at {}; this step has: {}", name,
                    joined(names(true))));
    return;
  }
  write(draw_tensor(*tensor, display_.width, display_, all));
}

void Interactive::trace(const std::string& argument) {
  std::string name;
  Index index;
  if (!parse_element(argument, name, index)) {
    say(fmt::format("expected c NAME[i,j], got 'c {}'; this step has: {}", argument,
                    joined(names(false))));
    return;
  }
  if (find(name) == nullptr) return;
  try {
    write(render_explanation(session_.record(), at_, name, index, display_));
  } catch (const std::out_of_range& error) {
    say(error.what());
  }
}

void Interactive::back() {
  const auto& steps = session_.record().steps;
  std::size_t to = at_;
  while (to > 0 && steps[to - 1]->skipped) --to;
  if (to == 0) {
    say("this is the first step");
    return;
  }
  at_ = to - 1;
  show(at_);
}

void Interactive::forward() {
  do {
    ++at_;
  } while (session_.record().steps[at_]->skipped);
  show(at_);
}

void Interactive::set(const std::string& argument) {
  if (argument.empty()) {
    for (const Parameter& one : session_.lesson().parameters()) {
      say(fmt::format("s {}=VALUE  {}, from {} to {}", one.name, one.what, format_exact(one.min),
                      format_exact(one.max)));
    }
    if (session_.lesson().parameters().empty()) say("this lesson has no parameters");
    return;
  }
  const std::size_t equals = argument.find('=');
  const std::string name = trimmed(argument.substr(0, equals));
  const std::string text = equals == std::string::npos ? "" : trimmed(argument.substr(equals + 1));
  const auto value = parse_number(text);
  if (!value) {
    say(fmt::format("expected s NAME=NUMBER, got 's {}'", argument));
    return;
  }
  try {
    const Session::Rerun result = session_.change(name, *value);
    rerun(fmt::format("{} = {}", name, format_exact(*value)), name, result);
  } catch (const std::invalid_argument& error) {
    say(error.what());
  }
}

void Interactive::toggle(const std::string& argument) {
  if (argument.empty()) {
    for (const Break& one : session_.lesson().breaks()) {
      const bool on = session_.settings().breaks.contains(one.name);
      say(fmt::format("x {}{}  {}", one.name, on ? " (on)" : "", one.what));
    }
    if (session_.lesson().breaks().empty()) say("this lesson has no breaks");
    return;
  }
  try {
    const Session::Rerun result = session_.toggle(argument);
    const bool on = session_.settings().breaks.contains(argument);
    rerun(fmt::format("break {} is {}", argument, on ? "on" : "off"), argument, result);
  } catch (const std::invalid_argument& error) {
    say(error.what());
  }
}

void Interactive::rerun(const std::string& change, const std::string& name, Session::Rerun result) {
  if (!result.from) {
    say(fmt::format("{}: no step so far depends on it; later ones will", change));
    return;
  }
  const std::size_t count = session_.record().step_titles.size();
  say(fmt::format("{}: rerun from step {} of {}, the first that reads {}", change, *result.from + 1,
                  count, name));
  write_("\n");
  at_ = *result.from;
  show(at_);
}

void Interactive::help() {
  Lines lines;
  for (const auto& [keys, what] : kHelp) {
    const std::vector<std::string> parts = wrap(what, display_.width - 19);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Line line;
      line.add(pad_right(i == 0 ? fmt::format("  {}", keys) : "", 19), styles::kCommand);
      lines.push_back(line.add(parts[i]));
    }
  }
  write(lines);
  say(fmt::format("tensors here: {}", joined(names(false))));
}

}  // namespace gradwalk::course
