// Lesson 3: what a gradient is and how it gets back to a weight.
//
// Claims   B9: article 003, section 2.2; A7: article 000, section 2.2
// Builds   on lesson 2 (q, k, v) and lesson 1 (the four lines)
// Run      ./gradwalk run 3 --step
//
// One number of W_K is turned by hand, by difference quotient and by backpropagation. steps/ has
// one step a file, head.h the small head that they work on, in float64; the last step takes the
// toy of lesson 4 (lessons/tasks/toy4d.h).

#include "lessons/course/engine/lesson.h"

#include "lessons/03_gradients/steps/steps.h"

namespace gradwalk::lesson_03 {

course::Lesson lesson() {
  course::Lesson lesson(3, "gradients", "One knob, three ways to its gradient");
  lesson.seeds(/*full=*/5, /*quick=*/2, "random heads whose knobs are all turned");
  lesson.parameter({.name = "turn",
                    .value = 1e-3,
                    .min = 1e-6,
                    .max = 10,
                    .what = "how far each knob is turned, no unit"});
  lesson.parameter({.name = "directions",
                    .value = 1000,
                    .quick = 200,
                    .min = 1,
                    .max = 100000,
                    .whole = true,
                    .what = "random directions that are compared with the gradient"});
  lesson.sabotage("other-tokens", "the gradient is taken with other tokens in x");
  lesson.sabotage("wrong-label", "the gradient is that of the other class");

  lesson.steps_stand_alone();
  lesson.step("One knob of W_K, turned by hand", one_knob);
  lesson.step("All 32 knobs, three ways", all_knobs, {"B9"});
  lesson.step("The relay, op by op", relay);
  lesson.step("The gradient knows only the loss", only_the_loss, {"A7"});
  return lesson;
}

}  // namespace gradwalk::lesson_03
