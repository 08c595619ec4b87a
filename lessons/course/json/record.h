#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/environment.h"
#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// What `run` did: the runs of one command, each of one lesson, in order.
struct SavedRuns {
  bool complete = false;
  Environment environment;
  std::map<std::string, std::string> asked;  ///< what for, by option
  std::vector<RunRecord> runs;
};

/// What `run --json` writes: {"schema":1,"complete","environment","asked","runs","claims","steps"},
/// with NaN and infinities as texts. Of the claims and steps, "runs" says how many belong to each.
std::string run_json(const SavedRuns& saved, const Catalogue& catalogue);

/// The other way: all that the text has, the recipes of tensors excepted.
/// @throws std::exception that says what is wrong
SavedRuns parse_run_json(std::string_view text);

/// @throws InputError that names the file and the fault
SavedRuns read_run_json(const std::filesystem::path& path);

/// What `claims --json=-` writes: {"schema":1,"claims":[...]}.
std::string claims_json(const std::vector<LedgerRecord>& records);

}  // namespace gradwalk::course
