// Lesson 10: the cache of keys and values.
//
// Claims   B17, B18, B19, B20, B49: article 003, sections 2.3 and 5.3, on what a model keeps while
//          it writes, what that saves and what it costs
// Builds   on lesson 1 (queries, keys, values) and lesson 9 (the mask)
// Run      ./gradwalk run 10 --step
//
// Five words come first, by hand; then a language model that writes with and without a cache, and
// what that costs and saves. steps/ has one step a file; decoding.h and caches.h what is measured.

#include "lessons/course/engine/lesson.h"

#include "lessons/10_kv_cache/steps/steps.h"

namespace gradwalk::lesson_10 {

course::Lesson lesson() {
  course::Lesson lesson(10, "kv_cache", "What a model keeps while it writes");
  lesson.seeds(/*full=*/5, /*quick=*/2, "models of the second step");
  lesson.parameter({.name = "updates",
                    .value = 150,
                    .quick = 100,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of training before the second step's models write, 16 windows each"});
  lesson.parameter({.name = "longest",
                    .value = 2048,
                    .quick = 512,
                    .min = 64,
                    .max = 8192,
                    .whole = true,
                    .what = "tokens that are read before one more, in the third step"});
  lesson.parameter({.name = "room",
                    .value = 2048,
                    .quick = 1024,
                    .min = 64,
                    .max = 16384,
                    .whole = true,
                    .what = "tokens that go into the caches of the fourth step"});
  lesson.parameter({.name = "batch",
                    .value = 16,
                    .min = 2,
                    .max = 1024,
                    .whole = true,
                    .what = "texts that are written side by side, in the last step"});
  lesson.sabotage("no-mask", "every word sees the whole text, also what comes after it");
  lesson.sabotage("no-cache", "the step with a cache computes all tokens anew");
  lesson.sabotage("grow-by-one",
                  "the cache that has its room from the start grows by one all the same");
  lesson.sabotage("query-heads", "a cache keeps keys and values for every query head");
  lesson.sabotage("one-kv-head", "all query heads share one head of keys and values");

  lesson.steps_stand_alone();
  lesson.step("Five words: what the fifth one changes", five_words);
  lesson.step("The same words, with a cache and without", same_words, {"B17"});
  lesson.step("What one more token costs", cost, {"B20"});
  lesson.step("Room for the next token", room, {"B49"});
  lesson.step("How large a cache is", size, {"B18"});
  lesson.step("The cache beside the parameters", beside_parameters, {"B19"});
  return lesson;
}

}  // namespace gradwalk::lesson_10
