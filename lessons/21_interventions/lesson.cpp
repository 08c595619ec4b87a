// Lesson 21: pressing on attention.
//
// Claims   A22, A23, A24: article 000, sections 5.4 and 6.1, on ways to hurry [CLS] towards the
//          numbers, and on what they cost
// Builds   on lesson 17 (how [CLS] comes to look at the largest number) and 19 (order of scores)
// Run      ./gradwalk run 21 --step
//
// steps/ has one step a file; trained_models.h the models, arrivals.h how long they take.
// Simplified: one layer, no positions; the extra losses act on head 0.

#include "lessons/course/engine/lesson.h"

#include "lessons/21_interventions/steps/steps.h"

namespace gradwalk::lesson_21 {

course::Lesson lesson() {
  course::Lesson lesson(21, "interventions", "Pressing on attention, and what it costs");
  lesson.seeds(/*full=*/10, /*quick=*/8, "trainings of each kind, in the second step");
  const auto whole = [&](const char* name, double value, double quick, double min, double max,
                         const char* what) {
    lesson.parameter({.name = name,
                      .value = value,
                      .quick = quick,
                      .min = min,
                      .max = max,
                      .whole = true,
                      .what = what});
  };
  whole("few", 5, 3, 2, 50, "models of each kind, in the later steps");
  whole("adam_updates", 120, 120, 60, 2000, "of a training with Adam, 64 texts each, second step");
  whole("sgd_updates", 300, 300, 200, 5000, "of one with plain gradient descent, second step");
  whole("updates", 600, 400, 300, 5000, "of each model that answers two questions, third step");
  whole("geometry_updates", 400, 250, 200, 5000, "of each model, last step");
  lesson.sabotage("weightless", "every extra loss counts with weight 0");
  lesson.sabotage("second-head", "the models that have one head get a second one");
  lesson.sabotage("answers-told", "models that should learn from geometry alone get the answers");

  lesson.steps_stand_alone();
  lesson.step("What can be added to the loss", what_can_be_added);
  lesson.step("How soon does [CLS] look at the answer?", until_it_looks, {"A22"});
  lesson.step("One head, two questions", one_head_two_answers, {"A23"});
  lesson.step("The geometry, rewarded for itself", geometry_alone, {"A24"});
  return lesson;
}

}  // namespace gradwalk::lesson_21
