#pragma once

#include <vector>

namespace gradwalk::course {

class Lesson;

/// The lessons that this executable holds, in order: all of them in the driver, one in a lesson's
/// own executable.
std::vector<Lesson (*)()> lesson_table();

}  // namespace gradwalk::course
