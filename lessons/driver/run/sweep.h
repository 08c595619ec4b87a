#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/lesson.h"

namespace gradwalk::commands {

/// The values that --sweep=NAME=LOW:HIGH:xFACTOR or NAME=LOW:HIGH:+STEP gives a parameter.
struct Sweep {
  std::string text;  ///< as it was written
  std::string parameter;
  std::vector<double> values;
  bool by_factor = false;
};

/// @throws UsageError unless the text has one of the two forms, names a parameter of the lesson,
/// and all its values, at most 64, are in that parameter's range
Sweep parse_sweep(const std::string& text, const course::Lesson& lesson);

}  // namespace gradwalk::commands
