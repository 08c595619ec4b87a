#pragma once

#include <string>
#include <vector>

/// What several steps of lesson 19 use.
namespace gradwalk::lesson_19 {

inline const std::vector<std::string> kNames = {"any number?", "one of 8 ... 15?", "largest",
                                                "sum of two", "largest of two"};

}  // namespace gradwalk::lesson_19
