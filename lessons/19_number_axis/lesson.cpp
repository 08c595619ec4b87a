// Lesson 19: the axis of the numbers.
//
// Claims   A12, A13, A14, A16: article 000, sections 1.2, 4.1 to 4.3, on why keys of numbers lie
//          in a row, where their order comes from, and what other questions make of them
// Builds   on lesson 16 (the number task, and how a query fits keys)
// Run      ./gradwalk run 19 --step
//
// One model first, and what its [CLS] sees in sixteen numbers; then models of the same kind that
// are asked other things. order_steps.cpp and question_steps.cpp have those, questions.h the
// models. Simplified: a number is one token with an embedding of its own, and one layer reads it;
// in language models a number may be several tokens, whose digits could say something of its size.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps.h"
#include "lessons/course/key_scatter.h"
#include "lessons/course/measure.h"
#include "lessons/course/module_weight.h"
#include "lessons/course/number_training.h"
#include "tensor/layout.h"

namespace gradwalk::lessons {
namespace {

using course::Explain;
using course::Step;

void sixteen_numbers(Step& step) {
  const auto updates = static_cast<int>(step.whole("updates"));
  const course::NumberTask task = largest_number();
  const Seen& before = *begun(step, 1)[0];
  const Seen& after = *learned(step, {task}, 1, updates)[0][0];
  const auto trained =
      course::trained_number_model({.task = task, .updates = updates}, 100 * step.seed());
  std::vector<std::string> worth;
  for (std::int64_t v = 0; v < task.numbers; ++v) worth.push_back(std::to_string(v));
  step.formula("a text: [CLS] and 8 tokens, 2 to 4 of them numbers, others nouns");
  step.formula("numbers are worth 0 ... 15; each token has an embedding e[16]");
  step.formula("asked: the largest. [CLS] attends once, a linear readout answers");
  step.formula("q = W_Q e_CLS [8]    k = W_K e [8]    z = q.k / sqrt(8), the score");
  step.formula("weights = softmax(z) over the text: z + 1 is 2.7 times the weight");
  step.formula("rho: Spearman's. 1: two lists in one order, -1 reversed, 0 in none");
  step.predict("[CLS] learns to name the largest. Which scores will the sixteen numbers get?",
               {"all alike, above the nouns", "15 a high one, the others low ones",
                "the larger the number, the higher"},
               after.alignment.rho > 0.9 ? 2 : 0);
  step.table("one model: scores of the numbers", {"rho with worth", "std z, nats", "right"})
      .digits(2)
      .row("as it begins", {before.alignment.rho, before.alignment.spread, before.accuracy},
           "right: share of 500 texts")
      .row(fmt::format("after {} updates", updates),
           {after.alignment.rho, after.alignment.spread, after.accuracy}, "std: how far apart");
  const Tensor embeddings = trained.model->embeddings();
  step.tensor("e", number_rows(embeddings, task))
      .axes("number", "component")
      .rows(worth)
      .explain(Explain::given("embeddings of the numbers, learned"));
  step.tensor("e_CLS", select(embeddings, 0, 0))
      .axes("component")
      .explain(Explain::given("embedding of [CLS], learned"));
  step.tensor("W_Q", course::weight_of(*trained.model, "attention.q_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("learned"));
  step.tensor("W_K", course::weight_of(*trained.model, "attention.k_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("learned"));
  step.tensor("q", after.head.query)
      .axes("component")
      .explain(Explain::contraction("ij,j->i", {"W_Q", "e_CLS"}));
  const Tensor keys = number_rows(after.head.keys, task);
  step.tensor("K", keys)
      .axes("number", "component")
      .rows(worth)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "e"}));
  step.tensor("z", number_rows(after.alignment.match.logits, task))
      .axes("number")
      .columns(worth)
      .explain(Explain::contraction("i,ti->t", {"q", "K"}, 1 / std::sqrt(8.0)));
  step.curves("score z over what a number is worth", "worth")
      .series("as it begins", before.scores)
      .series("trained", after.scores);
  step.check("rho > 0.9 after training, not before",
             after.alignment.rho > 0.9 && before.alignment.rho < 0.9,
             fmt::format("{:.2f}, was {:.2f}; 0 is never the answer, so 1 need not beat it",
                         after.alignment.rho, before.alignment.rho));
  step.why(
      "Any two numbers may meet in a text, and the larger must win the softmax. So every number "
      "has to score above all smaller ones: an order.");
  step.try_next({"./gradwalk run 19 --step", "./gradwalk run 19 --predict"});
}

}  // namespace

course::Lesson lesson_19_number_axis() {
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

}  // namespace gradwalk::lessons
