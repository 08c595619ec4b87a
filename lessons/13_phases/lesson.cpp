// Lesson 13: what heads learn, and when.
//
// Claims   B13: article 003, sections 2.2 and 4.1, on phases of a training
// Builds   on lesson 9 (the grammar corpus and its language model); lesson 11 (B36) has how heads
//          become different
// Run      ./gradwalk run 13 --step
//
// steps/ has one step a file; snapshots.h measures a training now and then, induction.h has the
// task of the last step.

#include "lessons/course/engine/lesson.h"

#include "lessons/13_phases/steps/steps.h"

namespace gradwalk::lesson_13 {

course::Lesson lesson() {
  course::Lesson lesson(13, "phases", "What heads learn, and when");
  lesson.seeds(/*full=*/8, /*quick=*/1, "models, each trained anew");
  lesson.parameter({.name = "updates",
                    .value = 720,
                    .quick = 600,
                    .min = 600,
                    .max = 5000,
                    .whole = true,
                    .what = "of the training on the grammar corpus"});
  lesson.parameter({.name = "induction_models",
                    .value = 4,
                    .quick = 1,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "of the last step, each trained anew"});
  lesson.sabotage("any-word", "heads are scored on any earlier words in place of start and marks");

  lesson.steps_stand_alone();
  lesson.step("How fast the maps move", movement);
  lesson.step("Heads find something to do", heads, {"B13"});
  lesson.step("Two heads that come together: induction", induction);
  return lesson;
}

}  // namespace gradwalk::lesson_13
