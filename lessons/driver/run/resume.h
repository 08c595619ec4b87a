#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lessons/driver/run/run_options.h"

namespace gradwalk::commands {

/// What a run measures, by option, as texts: equal for two runs exactly when their records may be
/// joined.
std::map<std::string, std::string> asked(const Context& context, const RunOptions& options);

/// Where an interrupted run keeps its record: results/interrupted-4.json, by the selection.
std::filesystem::path interrupted_path(const RunOptions& options);

/// The options of the run in the file of --resume, with its record. What the command line says must
/// agree with them, looks and outputs excepted.
/// @throws course::InputError if the file is unreadable, or of another build or another run
RunOptions resumed(const Context& context, const RunOptions& given,
                   const std::vector<std::string>& words);

}  // namespace gradwalk::commands
