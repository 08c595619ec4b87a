// Lesson 20: how to tell, in a trained model, what a query looks for.
//
// Claims   A17, A19, A20, A30, A31: article 000, sections 5.1 to 5.3 and the script at its end, on
//          which heads to look at, how to compare a query with keys, and what a match is good for
// Builds   on lesson 16 (cosines, bases, control groups) and lesson 17 (models that align)
// Run      ./gradwalk run 20 --step
//
// steps/ has one step a file; models.h the models and script.h the article's script; maps.h,
// perturbation.h, cut_heads.h and depths.h what is measured. The last step's models are small
// encoders, cls_encoder.h; digit_task.h writes their numbers digit by digit.
// Simplified: one layer and no positions but in the last step.

#include "lessons/course/engine/lesson.h"

#include "lessons/20_diagnosing/steps/steps.h"

namespace gradwalk::lesson_20 {

course::Lesson lesson() {
  course::Lesson lesson(20, "diagnosing", "Diagnosing a head: what it looks for, and what for");
  lesson.seeds(/*full=*/10, /*quick=*/5, "models of each shape, in the first four steps");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 300,
                    .max = 10000,
                    .whole = true,
                    .what = "of their training, 64 texts each"});
  lesson.parameter({.name = "push",
                    .value = 0.5,
                    .min = 0.1,
                    .max = 2,
                    .what = "on keys, in mean lengths of a number's embedding"});
  lesson.parameter({.name = "four_heads",
                    .value = 10,
                    .min = 2,
                    .max = 100,
                    .whole = true,
                    .what = "models with four heads, each of which is cut out once"});
  lesson.parameter({.name = "encoders",
                    .value = 3,
                    .quick = 2,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "of each depth, in the last step"});
  lesson.parameter({.name = "encoder_updates",
                    .value = 250,
                    .quick = 150,
                    .min = 100,
                    .max = 5000,
                    .whole = true,
                    .what = "of their training, 64 texts each"});
  lesson.parameter({.name = "digit_encoders",
                    .value = 2,
                    .quick = 1,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "of each depth that read numbers digit by digit"});
  lesson.parameter({.name = "digit_updates",
                    .value = 700,
                    .quick = 500,
                    .min = 100,
                    .max = 10000,
                    .whole = true,
                    .what = "of their training, 64 texts each"});
  lesson.sabotage("mended-script", "the script asks with q = W_Q h of [CLS], and without pinv");
  lesson.sabotage("orthogonal-keys", "W_K is brought to the nearest matrix that only turns");
  lesson.sabotage("blind-push", "keys are pushed along a random direction, not along W_K^T q");
  lesson.sabotage("dead-heads", "half of the heads of each model get weights that are all even");
  lesson.sabotage("whole-numbers",
                  "the encoders that should read digits read numbers of one token");

  lesson.steps_stand_alone();
  lesson.keeps_models();
  lesson.step("One head, measured where q and k meet", one_head_measured);
  lesson.step("The article's script, as written", script_as_written, {"A30"});
  lesson.step("A pseudo-inverse, or W_K turned round", pulled_or_inverted, {"A19"});
  lesson.step("Push the keys, and watch the weights", push_and_watch, {"A20"});
  lesson.step("Is a head with a small gap of no use?", gap_and_influence, {"A31"});
  lesson.step("Which heads, and in which layer?", layer_by_layer, {"A17"});
  return lesson;
}

}  // namespace gradwalk::lesson_20
