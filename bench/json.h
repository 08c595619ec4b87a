#pragma once

#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/row.h"

namespace gradwalk::bench {

/// {"schema": 1, "machine": {...}, "rows": [{"workload", "threads", "unit", "better", "ours",
/// "naive", "peers", "limit", "ratio_best_peer", "of_limit"}]}; what was not measured is null.
/// machine.notes says of which rows the results differ, and which figures were disturbed.
std::string to_json(const Machine& machine, const std::vector<Row>& rows);

}  // namespace gradwalk::bench
