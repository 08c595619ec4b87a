#pragma once

#include "lessons/course/engine/record.h"
#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// Horizontal bars in groups, each with its number; negative ones go left of a common zero.
Lines draw_bars(const BarsRecord& bars, int width, const Display& display);

/// Curves over a numbered x axis: a mark and a name for each, a zero line where the values straddle
/// 0.
Lines draw_curves(const CurvesRecord& curves, int width, const Display& display);

/// Arrows from the origin, points, and paths with start and end, in a plane with one scale for both
/// axes.
Lines draw_plane(const PlaneRecord& plane, int width, const Display& display);

/// Points at their places in a plane with one scale for both axes, each written as its name and
/// coloured by its value; those that fall together are counted: "3+2" is 3 and two more.
Lines draw_scatter(const ScatterRecord& scatter, int width, const Display& display);

}  // namespace gradwalk::course
