#pragma once

#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// Is a step's record whole? All parts, an explanation for each tensor, both predicates for each
/// claim, known names in pictures.
/// @throws std::logic_error that names what is missing
void require_whole(const StepRecord& step);

/// Where a NaN or an infinity stands that its step did not announce, such as "tensor z: 3 of 9
/// entries".
std::vector<std::string> unexpected_nonfinite(const StepRecord& step);

}  // namespace gradwalk::course
