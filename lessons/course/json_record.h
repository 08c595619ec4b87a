#pragma once

#include <string>
#include <vector>

#include "lessons/course/catalogue.h"
#include "lessons/course/environment.h"
#include "lessons/course/ledger.h"
#include "lessons/course/record.h"

namespace gradwalk::course {

/// What `run --json` writes: {"schema":1,"complete","environment","settings","claims","steps"},
/// with NaN and infinities as texts.
std::string run_json(const std::vector<RunRecord>& runs, bool complete, const Catalogue& catalogue,
                     const Environment& environment);

/// What `claims --json=-` writes: {"schema":1,"claims":[...]}.
std::string claims_json(const std::vector<LedgerRecord>& records);

}  // namespace gradwalk::course
