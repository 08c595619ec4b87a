#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/record.h"
#include "lessons/course/json/record.h"
#include "lessons/course/text/text.h"
#include "lessons/driver/run/context.h"
#include "lessons/driver/run/run_options.h"

namespace gradwalk::commands {

/// Writes what --json asks for; a failure is said on err.
course::Exit write_json(const Context& context, const RunOptions& options,
                        const course::SavedRuns& saved);

/// Keeps an interrupted run for --resume; a failure is said on err.
/// @return the command that goes on with it, empty after a failure
std::string keep_interrupted(const Context& context, const RunOptions& options,
                             course::SavedRuns saved);

/// "./gradwalk run 4"; of a lesson's own executable its name, for no other build can go on with a
/// run of it.
std::string run_command(const Context& context, const RunOptions& options);

/// The command that repeats what was asked for. A single run counts with what was changed in it.
std::string again_command(const Context& context, const RunOptions& options,
                          const std::vector<course::RunRecord>& runs);

/// `text` and "again: COMMAND", on one line where they fit; then, if `resume` is not empty, the
/// command that goes on. Commands stay in one piece, to be pasted.
void add_last_lines(course::Lines& lines, const std::string& text, const std::string& again,
                    const std::string& resume, int width);

}  // namespace gradwalk::commands
