// Lesson 6: how large W_Q and W_K begin.
//
// Claims   B10, B11, B12: article 003, section 2.2, on what becomes of a model whose weights begin
//          too large or too small
// Builds   on lesson 1 (the model that learns to look up) and 5 (what large scores do to a softmax)
// Run      ./gradwalk run 6 --step
//
// steps/ has one step a file, initialization.h the models and what is measured on them.
// Simplified: one layer without norm, where attention carries the whole task. The language models
// of the last steps have norms and a feed-forward part: there the factor matters less.

#include "lessons/course/engine/lesson.h"

#include "lessons/06_init_variance/steps/steps.h"

namespace gradwalk::lesson_06 {

course::Lesson lesson() {
  course::Lesson lesson(6, "init_variance", "How large W_Q and W_K begin");
  lesson.parameter({.name = "models",
                    .value = 3,
                    .quick = 1,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "that learn to look up, for each factor and optimizer"});
  lesson.parameter({.name = "updates",
                    .value = 1500,
                    .quick = 600,
                    .min = 600,
                    .max = 10000,
                    .whole = true,
                    .what = "of 32 pages at most with Adam; half as many with SGD"});
  lesson.parameter({.name = "languages",
                    .value = 2,
                    .quick = 1,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "models that learn a language, for each factor"});
  lesson.sabotage("divide-back", "the layer divides its scores by G^2");
  lesson.sabotage("adam-too", "Adam where SGD was asked for");
  lesson.sabotage("other-starts",
                  "other random weights of the usual size instead of other factors");

  lesson.steps_stand_alone();
  lesson.step("One factor, and its square in the scores", squared_in_scores);
  lesson.step("Too large", too_large, {"B10"});
  lesson.step("Too small", too_small, {"B11"});
  lesson.step("How much the size of the start decides", how_much_slower, {"B12"});
  return lesson;
}

}  // namespace gradwalk::lesson_06
