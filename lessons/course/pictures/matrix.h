#pragma once

#include <string>

#include "lessons/course/engine/record.h"
#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// Numbers of a recorded tensor, each with its shade: a background, or a trailing mark without
/// colour. Values >= 0 get a sequential ramp, signed ones a two-sided ramp round 0. Masked entries
/// print "--".
///
/// @param all  every row and column, in blocks of columns; otherwise edges are cut with "..."
Lines draw_matrix(const TensorRecord& tensor, int width, const Display& display, bool all);

/// The same with fewer digits and edges cut, and with "range -0.5..1.2": for matrices side by side.
struct RangedMatrix {
  Lines lines;
  std::string range;
};
RangedMatrix ranged_matrix(const TensorRecord& tensor, int width, const Display& display);

/// What t shows: name, shape, dtype, axes, the numbers, and a line of statistics.
Lines draw_tensor(const TensorRecord& tensor, int width, const Display& display, bool all);

/// "entries 12/12, central difference, step 1e-06, f64, max rel 3e-10"
std::string badge_text(const GradBadge& badge);

/// "f32" for "float32" and so on.
std::string short_dtype(const std::string& dtype);

}  // namespace gradwalk::course
