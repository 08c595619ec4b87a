// Lesson 16: what it is that a query matches.
//
// Claims   A1, A2, A18, A25: article 000, sections 1.1, 1.3, 5.2 and 6.2, on directions of queries
//          and keys, and on how to compare them
// Builds   on lesson 1 (scores and weights) and lesson 14 (another basis of a head)
// Run      ./gradwalk run 16 --step
//
// steps/ has one step a file, one_head.h takes the head out of a trained model.
// Simplified: one layer, one head, no positions, so that [CLS] asks the same in every text. What
// the models learn, and why, is lesson 17's.

#include "lessons/course/engine/lesson.h"

#include "lessons/16_direction_probe/steps/steps.h"

namespace gradwalk::lesson_16 {

course::Lesson lesson() {
  course::Lesson lesson(16, "direction_probe", "What a query matches");
  lesson.seeds(/*full=*/20, /*quick=*/10, "models of each kind, trained from other random starts");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .quick = 200,
                    .min = 100,
                    .max = 10000,
                    .whole = true,
                    .what = "of the training of each model, 64 texts each"});
  lesson.parameter({.name = "bases",
                    .value = 5,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "in which each head is written anew, in the last two steps"});
  lesson.sabotage("equal-lengths", "all keys of a head are brought to one length");
  lesson.sabotage("one-hot", "tokens are one-hot vectors, and W_Q is stored with a row for each");
  lesson.sabotage("untrained", "models as they begin");
  lesson.sabotage("rotated", "other bases are only turned, which keeps lengths and angles");

  lesson.steps_stand_alone();
  lesson.step("Two keys: one near in direction, one long", two_keys);
  lesson.step("A trained query: is the closest key the heaviest?", trained_query, {"A1"});
  lesson.step("Which vector is [CLS]'s: a row of W_Q, or q?", row_of_cls, {"A2"});
  lesson.step("Cosines beside a control group, in many bases", beside_a_control, {"A18"});
  lesson.step("W_Q beside W_K: two matrices compared", matrices_compared, {"A25"});
  return lesson;
}

}  // namespace gradwalk::lesson_16
