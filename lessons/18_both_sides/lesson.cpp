// Lesson 18: both sides move, and what it takes.
//
// Claims   A10, A11: article 000, sections 2.1, 2.3 and 3.4, on the query that goes to the keys
//          while keys come to the query, and on three conditions under which they must meet
// Builds   on lesson 4 (the 4-d toy) and lesson 17 (how query and number keys align)
// Run      ./gradwalk run 18 --step
//
// steps/ has one step a file; balance.h a law of the toy, models.h the trainings, model_change.h
// what is measured on them, conditions.h the models from which one condition is taken away.
// Simplified: one layer, no positions, so q is one vector for all texts.

#include "lessons/course/engine/lesson.h"

#include "lessons/18_both_sides/steps/steps.h"

namespace gradwalk::lesson_18 {

course::Lesson lesson() {
  course::Lesson lesson(18, "both_sides", "Both sides move, and what it takes");
  lesson.seeds(/*full=*/10, /*quick=*/2, "models of each kind that are trained");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 300,
                    .max = 10000,
                    .whole = true,
                    .what = "of 64 texts each in a training"});
  lesson.parameter({.name = "pairs",
                    .value = 10,
                    .quick = 8,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "models of which old and new sides are paired, in step 4"});
  lesson.sabotage("keys-held", "embeddings and W_K stay as they begin: keys cannot move");
  lesson.sabotage("numbers-asked", "first condition: all models are asked for the largest number");
  lesson.sabotage("own-keys", "second condition: numbers keep keys of their own");
  lesson.sabotage("even-instead", "third condition: weights even, not sigmoids of the scores");

  lesson.steps_stand_alone();
  lesson.step("One score, two ways to raise it", two_ways_up);
  lesson.step("What the two sides cannot do apart", kept_in_balance);
  lesson.step("Parts that are held still", parts_held_still);
  lesson.step("The old query with the new keys", old_with_new, {"A10"});
  lesson.step("First condition: the task needs numbers", without_need);
  lesson.step("Second condition: number keys can be told apart", without_own_keys);
  lesson.step("Third condition: softmax makes keys compete", without_competition);
  lesson.step("All three: is it then inevitable?", all_three, {"A11"});
  return lesson;
}

}  // namespace gradwalk::lesson_18
