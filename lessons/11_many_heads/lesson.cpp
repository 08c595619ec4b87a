// Lesson 11: why there is more than one head, and when there are too many.
//
// Claims   B34, B36, B45: article 003, sections 4.1 and 5.2, on what many heads are for
// Builds   on lesson 1 (the dictionary) and lesson 2 (a head is a block of rows)
// Run      ./gradwalk run 11 --step
//
// steps/ has one step a file; lookups.h trains models that answer two questions at once (the task
// is in multi_lookup.h), language_heads.h those that learn a language.

#include "lessons/course/engine/lesson.h"

#include "lessons/11_many_heads/steps/steps.h"

namespace gradwalk::lesson_11 {

course::Lesson lesson() {
  course::Lesson lesson(11, "many_heads", "Why more than one head, and when too many");
  lesson.seeds(/*full=*/5, /*quick=*/1, "models of each kind in the first step");
  lesson.parameter({.name = "models",
                    .value = 3,
                    .quick = 1,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "that are trained of each kind in the other steps"});
  lesson.parameter(
      {.name = "updates",
       .value = 1000,
       .min = 20,
       .max = 5000,
       .whole = true,
       .what = "of a look-up model at most, 32 pages each; after step 1 half as many"});
  lesson.parameter({.name = "language_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 6,
                    .max = 5000,
                    .whole = true,
                    .what = "of a language model"});
  lesson.parameter({.name = "windows",
                    .value = 16,
                    .min = 1,
                    .max = 128,
                    .whole = true,
                    .what = "of 32 words in each of those updates"});
  lesson.sabotage("one-question", "only one value is asked for");
  lesson.sabotage("small-start", "W_Q and W_K of the usual start are multiplied by 0.1 as well");
  lesson.sabotage("wide-heads", "each of the 32 heads is as wide as one of two, 16 numbers");

  lesson.steps_stand_alone();
  lesson.step("Two questions at once: one head brings both answers and mixes them up",
              two_questions, {"B34"});
  lesson.step("More heads, narrower heads", too_many);
  lesson.step("Are heads alike at first?", alike_at_first, {"B36"});
  lesson.step("Taking heads away", take_heads_away, {"B45"});
  return lesson;
}

}  // namespace gradwalk::lesson_11
