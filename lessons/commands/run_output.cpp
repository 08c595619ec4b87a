#include "lessons/commands/run_output.h"

#include <fmt/core.h>

#include <stdexcept>

#include "lessons/course/json_record.h"
#include "lessons/course/ledger.h"
#include "nn/checkpoint/atomic_file.h"

namespace gradwalk::commands {

course::Exit write_json(const Context& context, const RunOptions& options,
                        const std::vector<course::RunRecord>& runs, bool complete,
                        const course::Environment& environment) {
  if (options.json.empty()) return course::Exit::kOk;
  const std::string json = course::run_json(runs, complete, context.catalogue, environment);
  try {
    if (options.json == "-") {
      context.console.out(json);
    } else {
      nn::write_file_atomically(options.json, json);
    }
  } catch (const std::runtime_error& error) {
    context.console.err(fmt::format("--json: {}\n", error.what()));
    return course::Exit::kInput;
  }
  return course::Exit::kOk;
}

std::string again_command(const Context& context, const RunOptions& options,
                          const std::vector<course::RunRecord>& runs) {
  std::string text =
      context.single ? context.lessons[0]().executable() : "gradwalk run " + options.selection;
  for (const std::string& id : options.claims) {
    text += (id == *options.claims.begin() ? " --claim=" : ",") + id;
  }
  course::RunRecord record;
  if (runs.size() == 1) {
    record = runs[0];
  } else {
    record.seed = options.settings.seed;
    record.quick = options.settings.quick;
    record.set.assign(options.settings.set.begin(), options.settings.set.end());
    record.breaks.assign(options.settings.breaks.begin(), options.settings.breaks.end());
  }
  text += course::repeat_options(record);
  if (options.from > 1) text += fmt::format(" --from={}", options.from);
  if (options.seeds > 1) text += fmt::format(" --seeds={}", options.seeds);
  if (options.sweep) text += " --sweep=" + options.sweep->text;
  return text;
}

void add_last_lines(course::Lines& lines, const std::string& text, const std::string& command,
                    int width) {
  const std::string again = "again: " + command;
  if (course::display_width(text) + 3 + course::display_width(again) <= width) {
    lines.emplace_back(text + "   " + again);
    return;
  }
  lines.emplace_back(text);
  for (const std::string& part : course::wrap(again, width)) lines.emplace_back(part);
}

}  // namespace gradwalk::commands
