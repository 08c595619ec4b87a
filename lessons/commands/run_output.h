#pragma once

#include <string>
#include <vector>

#include "lessons/commands/context.h"
#include "lessons/commands/run_options.h"
#include "lessons/course/environment.h"
#include "lessons/course/record.h"
#include "lessons/course/text.h"

namespace gradwalk::commands {

/// Writes what --json asks for; a failure is said on err.
course::Exit write_json(const Context& context, const RunOptions& options,
                        const std::vector<course::RunRecord>& runs, bool complete,
                        const course::Environment& environment);

/// The command that repeats what was asked for. A single run counts with what was changed in it.
std::string again_command(const Context& context, const RunOptions& options,
                          const std::vector<course::RunRecord>& runs);

/// `text` and "again: COMMAND", on one line where they fit; the command stays in one piece, to be
/// pasted.
void add_last_lines(course::Lines& lines, const std::string& text, const std::string& command,
                    int width);

}  // namespace gradwalk::commands
