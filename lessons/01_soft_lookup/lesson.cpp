// Lesson 1: a dictionary with a temperature.
//
// Claims   B1, B21, B22, B23, B32: article 003, sections 1.1, 3.1 and 3.3, where attention is a
//          look-up by similarity that blends what it finds
// Builds   on nothing
// Run      ./gradwalk run 1 --step
//
// Four cards that fit on a page come first; then the same with random numbers, many seeds, and at
// last a model that learns to look up. steps/ has one step a file, lookup.h what they measure.

#include "lessons/course/engine/lesson.h"

#include "lessons/01_soft_lookup/steps/steps.h"

namespace gradwalk::lesson_01 {

course::Lesson lesson() {
  course::Lesson lesson(1, "soft_lookup", "A dictionary with a temperature");
  lesson.parameter({.name = "tau",
                    .value = 1,
                    .min = 0.01,
                    .max = 100,
                    .what = "temperature of the first step, no unit"});
  lesson.seeds(/*full=*/5, /*quick=*/2);
  lesson.parameter({.name = "keys",
                    .value = 32,
                    .min = 2,
                    .max = 4096,
                    .whole = true,
                    .what = "keys of the random dictionary"});
  lesson.parameter({.name = "d_k",
                    .value = 16,
                    .min = 1,
                    .max = 1024,
                    .whole = true,
                    .what = "width of its keys and queries"});
  lesson.parameter({.name = "queries",
                    .value = 64,
                    .min = 1,
                    .max = 4096,
                    .whole = true,
                    .what = "queries that it is asked"});
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .quick = 250,
                    .min = 20,
                    .max = 5000,
                    .whole = true,
                    .what = "of training, batches of 32 pages"});
  lesson.sabotage("equal-lengths", "all keys have one length");
  lesson.sabotage("sigmoid", "each share comes from its own score alone");
  lesson.sabotage("no-temperature", "tau is 1 whatever is asked for");
  lesson.sabotage("flat-scores", "every token's score is 1/n");
  lesson.sabotage("no-scale", "the line that divides by sqrt(d_k) is left out");

  lesson.steps_stand_alone();
  lesson.step("Four cards and a question: the answer is a blend", blend);
  lesson.step("What a dot product compares: length counts too", dot_products, {"B21"});
  lesson.step("Softmax: one up, all others down by one factor", competition, {"B32"});
  lesson.step("Temperature: from blending to looking up", temperature, {"B1"});
  lesson.step("Many questions: rows are shares, columns are not", rows_and_columns, {"B22"});
  lesson.step("Four lines, and a library layer", four_lines, {"B23"});
  lesson.step("The same look-up, learned", learned);
  return lesson;
}

}  // namespace gradwalk::lesson_01
