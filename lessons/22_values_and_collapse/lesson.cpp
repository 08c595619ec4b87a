// Lesson 22: values that carry nothing, and keys that collapse.
//
// Claims   A26 to A29: article 000, sections 6.3 and 6.4, on what values are for, and on number
//          keys that are not told apart
// Builds   on lesson 17 (the query of [CLS] that learns to fit number keys) and 19 (tasks)
// Run      ./gradwalk run 22 --step
//
// steps/ has one step a file; values.h swaps what values carry, key_spread.h has what is measured
// on a trained model.
// Simplified: one layer, one head, no positions; 16 numbers. Length here is the number of numbers.

#include "lessons/course/engine/lesson.h"

#include "lessons/22_values_and_collapse/steps/steps.h"

namespace gradwalk::lesson_22 {

course::Lesson lesson() {
  course::Lesson lesson(22, "values_and_collapse", "Values, and keys that collapse");
  lesson.seeds(/*full=*/5, /*quick=*/2, "models of each kind");
  lesson.parameter({.name = "judges",
                    .value = 10,
                    .quick = 5,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "models with 16 numbers in a text, in the second step"});
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of each other model, 64 texts each"});
  lesson.parameter({.name = "judge_updates",
                    .value = 600,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of the models that A27 is judged by"});
  lesson.parameter({.name = "alike_updates",
                    .value = 1000,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of models with one value for all numbers, in the first step"});
  lesson.parameter({.name = "longest",
                    .value = 32,
                    .quick = 16,
                    .min = 16,
                    .max = 128,
                    .whole = true,
                    .what = "numbers in the longest texts"});
  lesson.sabotage("nouns-instead", "the values of nouns are changed instead of those of numbers");
  lesson.sabotage("one-by-one", "in no text is the largest number drawn first");
  lesson.sabotage("high-half", "the upper half of the numbers is looked at instead of the lower");
  lesson.sabotage("no-short-texts", "no short texts are mixed in");

  lesson.steps_stand_alone();
  lesson.step("Attention without values", values_carry, {"A26"});
  lesson.step("Many numbers: is it the length?", long_texts, {"A27"});
  lesson.step("What shows that keys are not told apart", what_shows_it, {"A28"});
  lesson.step("Two ways to repair it", two_repairs, {"A29"});
  return lesson;
}

}  // namespace gradwalk::lesson_22
