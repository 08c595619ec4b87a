#pragma once

#include "lessons/course/step.h"

namespace gradwalk::lessons {

/// B20: what one more token costs, with a cache and without.
void cost(course::Step& step);
/// B49: how a cache gets room.
void room(course::Step& step);
/// B18: how large a cache is.
void size(course::Step& step);
/// B19: when it outgrows the parameters.
void beside_parameters(course::Step& step);

}  // namespace gradwalk::lessons
