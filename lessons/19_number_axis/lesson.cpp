// Lesson 19: the axis of the numbers.
//
// Claims   A12, A13, A14, A16: article 000, sections 1.2, 4.1 to 4.3, on why keys of numbers lie
//          in a row, where their order comes from, and what other questions make of them
// Builds   on lesson 16 (the number task, and how a query fits keys)
// Run      ./gradwalk run 19 --step
//
// One model first, and what its [CLS] sees in sixteen numbers; then models of the same kind that
// are asked other things. steps/ has one step a file, questions.h the models.
// Simplified: a number is one token with an embedding of its own, and one layer reads it; in
// language models a number may be several tokens, whose digits could say something of its size.

#include "lessons/course/engine/lesson.h"

#include "lessons/19_number_axis/steps/steps.h"

namespace gradwalk::lesson_19 {

course::Lesson lesson() {
  course::Lesson lesson(19, "number_axis", "Numbers on an axis, if the task asks for it");
  lesson.seeds(/*full=*/10, /*quick=*/4, "models for each question");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 300,
                    .max = 5000,
                    .whole = true,
                    .what = "of Adam for each model, 64 texts each"});
  lesson.sabotage("by-worth", "whatever the order, all models are asked for the largest");
  lesson.sabotage("nouns-asked", "the models of the largest number are asked for the last noun");
  lesson.sabotage("all-largest", "whatever the question, all models are asked for the largest");
  lesson.sabotage("no-sum", "the models that should add are asked for the largest");

  lesson.steps_stand_alone();
  lesson.step("Sixteen numbers, as [CLS] sees them", sixteen_numbers);
  lesson.step("Whose order is it?", which_order, {"A13"});
  lesson.step("An axis or a cloud", axis_or_cloud, {"A14"});
  lesson.step("Seen, told apart, repeated", seen_or_sorted, {"A12"});
  lesson.step("Does a finer answer make a finer axis?", how_fine, {"A16"});
  return lesson;
}

}  // namespace gradwalk::lesson_19
