#pragma once

#include <string>
#include <vector>

#include "bench/row.h"

namespace gradwalk::bench {

/// The family of a row, from the first word of its name, and its unit. A table has the rows of one.
std::string family_of(const Row& row);

/// Rows of one family as text of at most 100 columns, most of 80; a peer's column has its best way.
std::string render_table(const std::vector<Row>& rows);

/// Three digits: 0.834, 24.1, 207, 13.8k, 1.62M.
std::string short_number(double number);

}  // namespace gradwalk::bench
