#include "lessons/driver/run/parameter_option.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/text/suggest.h"
#include "lessons/driver/run/options.h"

namespace gradwalk::commands {

const course::Parameter& parameter_named(const std::string& option, const std::string& name,
                                         const course::Lesson& lesson) {
  if (const course::Parameter* found = lesson.find_parameter(name)) return *found;
  std::vector<std::string> names;
  for (const course::Parameter& one : lesson.parameters()) names.push_back(one.name);
  throw UsageError(fmt::format("--{}: lesson {}: {}", option, lesson.number(),
                               course::unknown("parameter", name, names)));
}

void require_value(const std::string& option, const course::Parameter& parameter, double value) {
  try {
    course::require_in_range(parameter, value);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--{}: {}", option, error.what()));
  }
}

}  // namespace gradwalk::commands
