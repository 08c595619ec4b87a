#pragma once

#include <vector>

#include "lessons/course/lesson.h"

namespace gradwalk::lessons {

/// The lessons that this executable holds, in order: all of them in the driver, one in a lesson's
/// own executable.
std::vector<course::LessonFactory> lesson_table();

/// Is this a lesson's own executable?
bool is_single_lesson();

}  // namespace gradwalk::lessons
