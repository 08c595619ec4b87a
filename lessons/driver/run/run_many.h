#pragma once

#include "lessons/driver/run/context.h"
#include "lessons/driver/run/run_options.h"

namespace gradwalk::commands {

/// The same lessons several times, without their steps: with --seeds, which counts how often each
/// claim comes out as catalogued, or with --sweep, which shows how numbers and outcomes go with a
/// parameter. The exit code is the worst of the runs; in a sweep outcomes do not count, as it is
/// there to see where they change, and controls do not run.
course::Exit run_many(const Context& context, RunOptions options);

/// The table of --seeds: one row a claim.
course::Lines seeds_table(const std::vector<course::RunRecord>& runs,
                          const course::Catalogue& catalogue, int width);

/// What --sweep shows, for the runs of one lesson in the order of the sweep's values: a table of
/// the numbers and claims that change, a curve of each claim's value, and the verdicts.
course::Lines sweep_tables(const std::vector<course::RunRecord>& runs, const Sweep& sweep,
                           const course::Catalogue& catalogue, const course::Display& display);

}  // namespace gradwalk::commands
