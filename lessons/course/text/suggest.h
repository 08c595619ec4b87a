#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

/// Least number of inserted, deleted, replaced or swapped neighbouring characters that make `b` of
/// `a`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The `count` names that are nearest to `wanted`, nearest first; letter case counts for little.
std::vector<std::string> nearest(std::string_view wanted, std::vector<std::string> names,
                                 std::size_t count);

/// "unknown break 'swap', nearest: swap-values"; without names: "unknown break 'swap': there is
/// none".
std::string unknown(std::string_view kind, std::string_view wanted,
                    const std::vector<std::string>& names, std::size_t count = 1);

}  // namespace gradwalk::course
