#pragma once

#include <string>

#include "lessons/course/engine/lesson.h"

namespace gradwalk::commands {

/// The parameter that an option ("set", "sweep") names.
/// @throws UsageError that says the option, the lesson and the nearest name
const course::Parameter& parameter_named(const std::string& option, const std::string& name,
                                         const course::Lesson& lesson);

/// @throws UsageError that says the option and the range, unless the parameter may have the value
void require_value(const std::string& option, const course::Parameter& parameter, double value);

}  // namespace gradwalk::commands
