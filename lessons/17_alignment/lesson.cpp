// Lesson 17: how the query of [CLS] comes to fit the keys of numbers.
//
// Claims   A8, A9, A15, A21, A32: article 000, sections 2.1 to 2.3, 4.2 and 5.4, on what training
//          does to the query of [CLS] and to the keys of the tokens that matter
// Builds   on lesson 4 (one gradient walk by hand) and lesson 13 (phases of a training)
// Run      ./gradwalk run 17 --step
//
// steps/ has one step a file; models.h the models and what is measured on them, phases.h cuts a
// training into stretches, query_gradient.h asks where the gradient points.
// Simplified: one layer, one head, no positions, so q is one vector for all texts.

#include "lessons/course/engine/lesson.h"

#include "lessons/17_alignment/steps/steps.h"

namespace gradwalk::lesson_17 {

course::Lesson lesson() {
  course::Lesson lesson(17, "alignment", "How the query of [CLS] comes to fit number keys");
  lesson.seeds(/*full=*/10, /*quick=*/2, "models of each kind that are trained");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 300,
                    .max = 10000,
                    .whole = true,
                    .what = "of 64 texts each in a training"});
  lesson.parameter({.name = "middle",
                    .value = 40,
                    .min = 1,
                    .max = 300,
                    .whole = true,
                    .what = "updates after which keys and weights are looked at on the way"});
  lesson.parameter({.name = "few",
                    .value = 3,
                    .quick = 1,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "models where they stand beside the others: SGD, 32 numbers"});
  lesson.parameter({.name = "starts",
                    .value = 100,
                    .quick = 50,
                    .min = 2,
                    .max = 2000,
                    .whole = true,
                    .what = "models whose gradient is taken before any training"});
  lesson.parameter({.name = "values",
                    .value = 40,
                    .quick = 30,
                    .min = 1,
                    .max = 200,
                    .whole = true,
                    .what = "models of which only values and readout are trained"});
  lesson.parameter({.name = "value_updates",
                    .value = 100,
                    .min = 0,
                    .max = 10000,
                    .whole = true,
                    .what = "of 64 texts each in their training"});
  lesson.sabotage("random-answers", "answers are drawn, so nothing in a text says them");
  lesson.sabotage("noun-task", "asked is the noun that comes last, not the largest number");
  lesson.sabotage("even-weights", "models are trained with weights of 1/9 whatever the scores");

  lesson.steps_stand_alone();
  lesson.keeps_models();
  lesson.step("A text, and what [CLS] makes of it at first", a_text);
  lesson.step("Query and keys before and after training", keys_before_and_after, {"A9"});
  lesson.step("The largest number is picked", largest_is_picked, {"A15"});
  lesson.step("How it comes about: early, middle, late", three_phases, {"A21"});
  lesson.step("Must the largest be looked at?", without_attention, {"A8"});
  lesson.step("Which way the first gradient points", first_gradient, {"A32"});
  return lesson;
}

}  // namespace gradwalk::lesson_17
