// Lesson 5: why scores are divided by sqrt(d_k).
//
// Claims   B25, B26, B27, B28, B29, B30, B33: article 003, sections 3.2 and 3.3, on how large dot
//          products are, what that does to a softmax and to training, and how small a weight gets
// Builds   on lesson 1 (softmax, temperature, the model that learns to look up) and 2 (heads)
// Run      ./gradwalk run 5 --step
//
// steps/ has one step a file; scores.h the measures, scores_by_width.h the scores of all seeds,
// unscaled.h the trainings.

#include "lessons/course/engine/lesson.h"

#include "lessons/05_scaling/steps/steps.h"

namespace gradwalk::lesson_05 {

course::Lesson lesson() {
  course::Lesson lesson(5, "scaling", "Why scores are divided by sqrt(d_k)");
  lesson.seeds(/*full=*/5, /*quick=*/2, "random repetitions of the first five steps");
  lesson.parameter({.name = "pairs",
                    .value = 5000,
                    .min = 2000,
                    .max = 200000,
                    .whole = true,
                    .what = "pairs of q and k for each seed and width; step 2: four times"});
  lesson.parameter({.name = "width",
                    .value = 1024,
                    .quick = 256,
                    .min = 256,
                    .max = 1024,
                    .whole = true,
                    .what = "largest d_k of the first steps"});
  lesson.parameter({.name = "queries",
                    .value = 256,
                    .min = 16,
                    .max = 4096,
                    .whole = true,
                    .what = "rows of weights for each seed and width"});
  lesson.parameter({.name = "models",
                    .value = 3,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "random starts of each training"});
  lesson.sabotage("shift-mean", "entries of q and k have mean 0.5");
  lesson.sabotage("wide-entries", "entries of q and k have std 8");
  lesson.sabotage("no-scale", "nothing is divided");
  lesson.sabotage("scale-raw", "the scores that should stay raw are divided by sqrt(d_k)");
  lesson.sabotage("model-root", "the layer divides by sqrt(d_model)");
  lesson.sabotage("keep-scale", "the model without the factor has it after all");
  lesson.sabotage("hard-mask", "the far key is masked");

  lesson.steps_stand_alone();
  lesson.step("How large is a dot product of random vectors?", mean_and_variance, {"B25"});
  lesson.step("Tens, not hundreds", how_large, {"B26"});
  lesson.step("Divide by sqrt(d_k)", divide, {"B28"});
  lesson.step("A softmax dies row by row", saturation, {"B27"});
  lesson.step("Which root: that of a head's width", which_root, {"B30"});
  lesson.step("Training without the factor", without_scale, {"B29"});
  lesson.step("Never exactly zero?", never_zero, {"B33"});
  return lesson;
}

}  // namespace gradwalk::lesson_05
