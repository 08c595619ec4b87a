// Lesson 2: where q, k and v come from.
//
// Claims   B5, B6, B8, B24, B35: article 003, sections 2.1, 3.1 and 4.1, on the maps that make
//          queries, keys and values, and on cutting them into heads
// Builds   on lesson 1 (the four lines, and the model that learns to look up)
// Run      ./gradwalk run 2 --step
//
// Weights are [out, in] and y = x W^T. steps/ has one step a file, heads.h what they measure.

#include "lessons/course/engine/lesson.h"

#include "lessons/02_projections/steps/steps.h"

namespace gradwalk::lesson_02 {

course::Lesson lesson() {
  course::Lesson lesson(2, "projections", "Where q, k and v come from");
  lesson.seeds(/*full=*/5, /*quick=*/2);
  lesson.parameter({.name = "updates",
                    .value = 800,
                    .quick = 400,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of the last step's training, batches of 32 pages"});
  lesson.sabotage("interleaved-rows", "a head gets every 12th row in place of a block of 64");
  lesson.sabotage("second-layer", "x has been through an attention layer before");
  lesson.sabotage("shared-weights", "the loop gives every head the attention weights of head 0");
  lesson.sabotage("fixed-head-width", "each head is 64 wide, however many there are");
  lesson.sabotage("no-training", "the last step's model is not trained");

  lesson.steps_stand_alone();
  lesson.step("Three maps and their shapes", shapes, {"B6"});
  lesson.step("Each token by itself", each_token_alone, {"B5"});
  lesson.step("Twelve heads of 64", heads, {"B24"});
  lesson.step("What heads cost", count, {"B35"});
  lesson.step("Who matches and who speaks: learned, not given", division, {"B8"});
  return lesson;
}

}  // namespace gradwalk::lesson_02
