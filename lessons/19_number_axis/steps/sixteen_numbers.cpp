#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_19 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void sixteen_numbers(Step& step) {
  const auto updates = static_cast<int>(step.whole("updates"));
  const tasks::NumberTask task = largest_number();
  const ModelMeasures& before = *untrained_models(step, 1)[0];
  const ModelMeasures& after = *trained_models(step, {task}, 1, updates)[0][0];
  const auto trained =
      tasks::trained_number_model({.task = task, .updates = updates}, 100 * step.seed());
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
  step.tensor("W_Q", tasks::weight_of(*trained.model, "attention.q_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("learned"));
  step.tensor("W_K", tasks::weight_of(*trained.model, "attention.k_proj.weight"))
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
  step.picture(course::Curves("score z over what a number is worth", "worth"))
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

}  // namespace gradwalk::lesson_19
