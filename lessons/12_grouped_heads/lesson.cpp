// Lesson 12: heads that share keys and values.
//
// Claims   B37, B38, B39, B40, B41: article 003, section 4.2, on MHA, GQA and MQA
// Builds   on lesson 10 (the cache of keys and values) and lesson 11 (what many heads are for)
// Run      ./gradwalk run 12 --step
//
// Three small layers come first, by hand. steps/ has one step a file; variants.h and loss_pairs.h
// what is measured.

#include "lessons/course/engine/lesson.h"

#include "lessons/12_grouped_heads/steps/steps.h"

namespace gradwalk::lesson_12 {

course::Lesson lesson() {
  course::Lesson lesson(12, "grouped_heads", "Heads that share keys and values: MHA, GQA, MQA");
  lesson.parameter({.name = "pairs",
                    .value = 20,
                    .quick = 10,
                    .min = 2,
                    .max = 50,
                    .whole = true,
                    .what = "of models in the last step, as many again if they do not tell"});
  lesson.parameter({.name = "updates",
                    .value = 200,
                    .quick = 100,
                    .min = 1,
                    .max = 5000,
                    .whole = true,
                    .what = "of each of those models, 16 windows of 32 words each"});
  lesson.parameter({.name = "longest",
                    .value = 16384,
                    .min = 16384,
                    .max = 65536,
                    .whole = true,
                    .what = "words before the newest in the fourth step, at most"});
  lesson.sabotage("fewer-queries", "a layer with fewer kv heads has as few query heads");
  lesson.sabotage("stored-copies", "shared keys and values are kept once for each query head");
  lesson.sabotage("short-texts",
                  "there are 16 words before the newest, however many are asked for");
  lesson.sabotage("fewer-positions",
                  "the cache becomes smaller by shorter texts, not by shared heads");
  lesson.sabotage("all-own", "the models that are to share have as many kv heads as query heads");

  lesson.steps_stand_alone();
  lesson.step("Four heads ask: whose keys do they meet?", three_layers);
  lesson.step("Parameters, and work for one word", parameters_and_work, {"B37"});
  lesson.step("The cache of a word", cache_size, {"B38"});
  lesson.step("What has to be read for one word", reading, {"B40"});
  lesson.step("What is not touched", structure, {"B41"});
  lesson.step("What sharing costs: pairs of models", quality, {"B39"});
  return lesson;
}

}  // namespace gradwalk::lesson_12
