// Lesson 7: which of W_Q, W_K, W_V attention needs, and what for.
//
// Claims   B4, B7, B31, B46: article 003, sections 1.2, 2.1, 3.3 and 5.2, on what is lost without
//          the three matrices, or when two of them change places
// Builds   on lesson 1 (the dictionary) and lesson 2 (the three maps)
// Run      ./gradwalk run 7 --step
//
// steps/ has one step a file; variants.h trains models that lack some of the matrices, matching.h
// looks at their scores.

#include "lessons/course/engine/lesson.h"

#include "lessons/07_what_is_needed/steps/steps.h"

namespace gradwalk::lesson_07 {

course::Lesson lesson() {
  course::Lesson lesson(7, "what_is_needed", "What attention needs: W_Q, W_K, W_V taken away");
  lesson.seeds(/*full=*/3, /*quick=*/1, "models of each kind");
  lesson.parameter({.name = "inputs",
                    .value = 5,
                    .min = 1,
                    .max = 1000,
                    .whole = true,
                    .what = "pairs of random inputs whose scores are looked at"});
  lesson.parameter({.name = "updates",
                    .value = 800,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of a look-up model at most, 32 pages each"});
  lesson.parameter({.name = "language_updates",
                    .value = 300,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of a language model"});
  lesson.parameter({.name = "swap_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of one whose W_Q and W_K are swapped then"});
  lesson.parameter({.name = "windows",
                    .value = 16,
                    .min = 1,
                    .max = 128,
                    .whole = true,
                    .what = "of 32 words in each of those updates"});
  lesson.sabotage("ask-same-key", "the question k asks for the card k itself");
  lesson.sabotage("same-x", "all tokens of an input are the same x");
  lesson.sabotage("left-out", "W_K and W_V are left out instead of multiplied into W_Q and W_O");
  lesson.sabotage("same-matrix", "W_K is set to W_Q before the two are swapped");

  lesson.steps_stand_alone();
  lesson.step("x three times over: are the scores constant?", x_three_times, {"B7"});
  lesson.step("Asking for the next key", ask_for_the_next, {"B4"});
  lesson.step("Taking the matrices away, one by one", take_matrices_away, {"B31"});
  lesson.step("Swapping queries and keys", swap_query_and_key, {"B46"});
  return lesson;
}

}  // namespace gradwalk::lesson_07
