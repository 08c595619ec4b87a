#include "lessons/driver/run/run_output.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/json/record.h"
#include "lessons/course/text/file_content.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/run/resume.h"
#include "nn/files/atomic_file.h"

namespace gradwalk::commands {

course::Exit write_json(const Context& context, const RunOptions& options,
                        const course::SavedRuns& saved) {
  if (options.json.empty()) return course::Exit::kOk;
  const std::string json = course::run_json(saved, context.catalogue);
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

std::string keep_interrupted(const Context& context, const RunOptions& options,
                             course::SavedRuns saved) {
  // Stopped before it had taken over all of what was done already.
  for (std::size_t i = saved.runs.size(); i < options.earlier.size(); ++i) {
    saved.runs.push_back(options.earlier[i]);
  }
  const std::filesystem::path path = interrupted_path(options);
  try {
    course::write_result(path, course::run_json(saved, context.catalogue));
  } catch (const std::runtime_error& error) {
    context.console.err(fmt::format("{}; this run cannot be resumed\n", error.what()));
    return "";
  }
  std::string command = run_command(context, options);
  if (options.step) command += " --step";
  if (options.predict) command += " --predict";
  return command + " " + course::shell_word("--resume=" + path.string());
}

std::string run_command(const Context& context, const RunOptions& options) {
  return context.single ? context.lessons[0]().executable()
                        : course::launcher_command("run " + options.selection);
}

std::string again_command(const Context& context, const RunOptions& options,
                          const std::vector<course::RunRecord>& runs) {
  std::string text = run_command(context, options);
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

void add_last_lines(course::Lines& lines, const std::string& text, const std::string& again,
                    const std::string& resume, int width) {
  const std::string repeat = "again: " + again;
  if (course::display_width(text) + 3 + course::display_width(repeat) <= width) {
    lines.emplace_back(text + "   " + repeat);
  } else {
    lines.emplace_back(text);
    for (const std::string& part : course::wrap(repeat, width)) lines.emplace_back(part);
  }
  if (!resume.empty()) lines.emplace_back("to go on: " + resume);
}

}  // namespace gradwalk::commands
