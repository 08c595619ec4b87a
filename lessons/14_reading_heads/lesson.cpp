// Lesson 14: what may be read off a trained head, and what may not.
//
// Claims   B42, B43, B44, B47, B48, B52: article 003, sections 5.1, 5.2 and 5.3, on looking into
//          trained attention
// Builds   on lesson 1 (the dictionary), lesson 2 (heads as blocks of rows), lesson 11 (what a head
//          adds, a language model and its heads)
// Run      ./gradwalk run 14 --step
//
// steps/ has one step a file; scaled_values.h the first step's layer, lookup_head.h the models that
// look up, readers.h those that read a language.

#include "lessons/course/engine/lesson.h"

#include "lessons/14_reading_heads/steps/steps.h"

namespace gradwalk::lesson_14 {

course::Lesson lesson() {
  course::Lesson lesson(14, "reading_heads", "What may be read off a head");
  lesson.seeds(/*full=*/3, /*quick=*/1, "trained models of each kind");
  lesson.parameter({.name = "layers",
                    .value = 20,
                    .min = 5,
                    .max = 1000,
                    .whole = true,
                    .what = "random layers of the first step"});
  lesson.parameter({.name = "stretch",
                    .value = 10,
                    .min = 1,
                    .max = 1e6,
                    .what = "of one axis in the second step, no unit"});
  lesson.parameter({.name = "lookup_updates",
                    .value = 400,
                    .quick = 300,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of the dictionary models, batches of 32 pages"});
  lesson.parameter({.name = "language_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of the language models with two layers, half for those with one"});
  lesson.parameter({.name = "windows",
                    .value = 200,
                    .min = 16,
                    .max = 800,
                    .whole = true,
                    .what = "of 24 words in which each word is hidden once"});
  lesson.sabotage("undone", "W_O is divided by what W_V is multiplied with");
  lesson.sabotage("rotated", "every head is turned, no axis is stretched");
  lesson.sabotage("other-basis", "trained heads are written in another basis before they are read");
  lesson.sabotage("same-values", "all cards of a page hold the same value");
  lesson.sabotage("shifted-keys", "a weight is compared with the effect of the word before");
  lesson.sabotage("even-maps", "scores of the trained model are multiplied by 0");

  lesson.steps_stand_alone();
  lesson.step("One head a thousand times louder", loud_values, {"B42"});
  lesson.step("Another basis: every cosine changes, no weight does", another_basis);
  lesson.step("The same with trained heads", trained_bases, {"B43"});
  lesson.step("Do queries and keys of trained heads point alike?", queries_like_keys, {"B44"});
  lesson.step("A weight of 0.95, and all is well", sharp_and_healthy, {"B52"});
  lesson.step("A weight of 0.9 on a word that does nothing", silent_word);
  lesson.step("Weight, and what it is worth", weight_or_effect, {"B47"});
  lesson.step("Which words are looked at", looked_at, {"B48"});
  return lesson;
}

}  // namespace gradwalk::lesson_14
