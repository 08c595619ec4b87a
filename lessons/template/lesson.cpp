// A lesson to copy to lessons/NN_name. Its namespace is then lesson_NN; number, name, claim and try
// lines change too. docs/contributing.md says what else a lesson needs.
//
// Claims   T1: on the variance of a sum

#include "lessons/course/engine/lesson.h"

namespace gradwalk::lesson_template {

void sum_of_numbers(course::Step& step);

course::Lesson lesson() {
  course::Lesson lesson(0, "template", "A lesson to copy");
  lesson.parameter({.name = "sums",
                    .value = 16384,
                    .quick = 4096,
                    .min = 1024,
                    .max = 1e6,
                    .whole = true,
                    .what = "that each variance is measured on"});
  lesson.sabotage("one-draw", "a sum adds one number again and again");
  lesson.steps_stand_alone();
  lesson.step("How far a sum spreads", sum_of_numbers, {"T1"});
  return lesson;
}

}  // namespace gradwalk::lesson_template
