// Lesson 15: why a model says the same thing again.
//
// Claims   B53, B54, B55: article 003, section 5.3, on what the entropy of attention says about
//          repetition, what a model that sees one word does, and which way to turn the temperature
// Builds   on lesson 9 (the grammar corpus and its language model) and lesson 1 (a temperature)
// Run      ./gradwalk run 15 --step
//
// steps/ has one step a file; writers.h the models and what they write, repetition.h the measures.

#include "lessons/course/engine/lesson.h"

#include "lessons/15_repetition/steps/steps.h"

namespace gradwalk::lesson_15 {

course::Lesson lesson() {
  course::Lesson lesson(15, "repetition", "Why a model says the same thing again");
  lesson.seeds(/*full=*/3, /*quick=*/2, "models, each trained anew");
  lesson.parameter({.name = "updates",
                    .value = 400,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of the training of each model, 16 windows of 32 words"});
  lesson.parameter({.name = "texts",
                    .value = 48,
                    .quick = 24,
                    .min = 2,
                    .max = 1000,
                    .whole = true,
                    .what = "written by each model at each temperature"});
  lesson.sabotage("sees-all", "the model of the last word gets attention and positions");
  lesson.sabotage("upside-down", "logits are multiplied by the temperature");
  lesson.sabotage("predictions",
                  "the entropy of the next word is measured in place of that of attention");

  lesson.steps_stand_alone();
  lesson.step("A model that sees one word", last_word, {"B54"});
  lesson.step("Which way to turn the temperature", temperature, {"B55"});
  lesson.step("The other temperature: inside attention", attention_temperature);
  lesson.step("Does the entropy of attention tell?", entropy, {"B53"});
  return lesson;
}

}  // namespace gradwalk::lesson_15
