// Lesson 9: the causal mask.
//
// Claims   B14, B15, B16, B50, B51: article 003, sections 2.3 and 5.3, on what hides the
//          future from a model that learns to go on with a text, where that goes, its cost
// Builds   on lesson 1 (queries, keys, values) and lesson 5 (the scale)
// Run      ./gradwalk run 9 --step
//
// Four words come first, by hand; then models at once and word by word, and one trained without a
// mask. steps/ has one step a file; masks.h and leak.h what is measured.

#include "lessons/course/engine/lesson.h"

#include "lessons/09_causal_mask/steps/steps.h"

namespace gradwalk::lesson_09 {

course::Lesson lesson() {
  course::Lesson lesson(9, "causal_mask", "What hides the future");
  lesson.seeds(/*full=*/3, /*quick=*/1, "models, or draws of queries and keys, a step");
  lesson.parameter({.name = "updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of training of the fourth step's models, 16 windows each"});
  lesson.parameter({.name = "longest",
                    .value = 2048,
                    .quick = 512,
                    .min = 512,
                    .max = 4096,
                    .whole = true,
                    .what = "words in the last step's longest text"});
  lesson.sabotage("finite-mask", "the first step's mask takes 5 off the scores of the future");
  lesson.sabotage("small-infinity", "the second step's -inf is -20");
  lesson.sabotage("no-mask", "the third step's masked model has no mask");
  lesson.sabotage("always-masked", "the fourth step's open model is trained with the mask");
  lesson.sabotage("maps-apart", "the fused kernel makes whole maps, one part after the other");

  lesson.steps_stand_alone();
  lesson.step("Four words: what the mask does", four_words, {"B16"});
  lesson.step("Before or after scaling", place, {"B50"});
  lesson.step("All at once, or word by word", at_once_or_word_by_word, {"B14"});
  lesson.step("Trained without the mask", leak, {"B15"});
  lesson.step("What the mask costs", whole_maps, {"B51"});
  return lesson;
}

}  // namespace gradwalk::lesson_09
