// Lesson 8: what is far away.
//
// Claims   B2, B3: article 003, section 1.2, on what attention does for distance, and at what price
// Builds   on lesson 1 (queries, keys, values) and lesson 3 (gradients)
// Run      ./gradwalk run 8 --step
//
// Four words come first, by hand; then the gradient to a far word, models that must remember one,
// and what it costs that every word meets every other. steps/ has one step a file; reach.h and
// pairs.h what is measured, recall.h the task of the models.

#include "lessons/course/engine/lesson.h"

#include "lessons/08_long_range/steps/steps.h"

namespace gradwalk::lesson_08 {

course::Lesson lesson() {
  course::Lesson lesson(8, "long_range", "What is far away");
  lesson.seeds(/*full=*/20, /*quick=*/10, "layers and texts whose gradients are measured");
  lesson.parameter({.name = "models",
                    .value = 3,
                    .quick = 1,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "of each kind that are trained for each length, in the second step"});
  lesson.parameter({.name = "updates",
                    .value = 300,
                    .min = 0,
                    .max = 10000,
                    .whole = true,
                    .what = "of their training at most, 32 texts each; a loss of 0.02 ends it"});
  lesson.parameter({.name = "longest",
                    .value = 4096,
                    .quick = 1024,
                    .min = 128,
                    .max = 8192,
                    .whole = true,
                    .what = "words of the longest text in the third step"});
  lesson.sabotage("near-word",
                  "the gradient goes to the last word but one, and the symbol to be "
                  "named ends the text");
  lesson.sabotage("window", "every query meets the last 64 keys alone");

  lesson.steps_stand_alone();
  lesson.step("Four words: the first one's hold on the last", four_words);
  lesson.step("How far back a gradient reaches, and what is learned", far_word, {"B2"});
  lesson.step("Every word meets every word: at what price", all_pairs, {"B3"});
  return lesson;
}

}  // namespace gradwalk::lesson_08
