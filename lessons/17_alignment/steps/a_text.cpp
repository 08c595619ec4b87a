#include <fmt/format.h>

#include <cmath>

#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/records.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Step;

}  // namespace

void a_text(Step& step) {
  const tasks::NumberTraining training = training_of(Kind::kMax, 0);
  const auto trained = model_of(step, training);
  step.formula("a text: [CLS], then 8 tokens: 2 to 4 numbers, the rest nouns");
  step.formula("asked: the largest number, of 0 to 15; nothing says what counts");
  step.formula("e_t [16]: the token's row in a table that learns");
  step.formula("q = W_Q e_CLS [8]      k_t = W_K e_t [8]      v_t = W_V e_t [8]");
  step.formula("z_t = q.k_t / sqrt(8)      w = softmax(z)      o = sum_t w_t v_t [8]");
  step.formula("logits = C (e_CLS + W_O o) + b [16], one for each number");
  const tasks::NumberBatch texts = tasks::number_tests(training.task, 100 * step.seed(), 1000);
  const tasks::NumberScore score = tasks::number_score(*trained.model, training.task, texts);
  step.number("answers right, before training", score.accuracy, "1000 texts; guessing: 0.067", 3);
  step.number("w of the answer", score.on_answer[0], "even over 9 tokens: 0.111", 3);
  step.number("w of all numbers", score.on_numbers[0], "even: 0.333", 3);
  record_text(step, *trained.model, training.task);
  step.check("weights begin almost even", std::abs(score.on_answer[0] - 1.0 / 9) < 0.03,
             fmt::format("w of the answer {:.3f}, 1/9 +-0.03", score.on_answer[0]));
  step.why(
      "To [CLS] numbers and nouns are random vectors at first. Only the loss can make a difference "
      "between them; the next steps watch it.");
  step.try_next({"./gradwalk run 17 --step", "./gradwalk run 17 --help"});
}

}  // namespace gradwalk::lesson_17
