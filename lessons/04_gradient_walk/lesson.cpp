// Lesson 4: the 4-d gradient walk.
//
// Claims   A3, A4, A5, A6: article 000, sections 3.1 to 3.3, where three tokens of width 4
//          show how gradient descent moves the query of [CLS]
// Builds   on nothing: the whole of attention is here, small enough to follow every number
// Run      ./gradwalk run 4 --step
//
// The article's example fixes no weights. Ours make its first pass come out as printed: scores 0.1,
// 0.3, 0.2. steps/ has one step a file, walk.h what they hand on to each other,
// lessons/tasks/toy4d.h the model.

#include "lessons/course/engine/lesson.h"

#include <memory>

#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"

namespace gradwalk::lesson_04 {

course::Lesson lesson() {
  course::Lesson lesson(4, "gradient_walk", "The 4-d gradient walk");
  lesson.parameter({.name = "lr",
                    .value = 0.5,
                    .min = 1e-3,
                    .max = 5,
                    .what = "learning rate of gradient descent, no unit"});
  lesson.parameter({.name = "steps",
                    .value = 50,
                    .min = 3,
                    .max = 1000,
                    .whole = true,
                    .what = "updates in each walk"});
  lesson.sabotage("article-logits", "the scores are those whose softmax is the article's triple");
  lesson.sabotage("no-weight-factor", "our formula for dz loses its factor a_i");
  lesson.sabotage("wrong-token", "dW_Q is built with the embedding of num1 in place of [CLS]");
  lesson.sabotage("swap-values", "num1 and num2 exchange their values");

  const auto walk = std::make_shared<Walk>();
  const auto on_walk = [walk](void (*body)(course::Step&, Walk&)) {
    return [walk, body](course::Step& step) { body(step, *walk); };
  };
  lesson.step("Three tokens become a query, keys and values", on_walk(projections));
  lesson.step("Scores become weights, and a triple that is no softmax", on_walk(weights));
  lesson.step("The blend, and what it costs", on_walk(loss));
  lesson.step("Backwards: what attention hears of the task", on_walk(output_gradient));
  lesson.step("The gradient at a score, three ways and the article's", on_walk(score_gradient));
  lesson.step("From scores back to W_Q and W_K", on_walk(weight_gradient));
  lesson.step("One step: which keys pull?", on_walk(one_step));
  lesson.step("Fifty steps, four walks", on_walk(fifty_steps));
  lesson.step("Two more worlds: B draws num2 in, C leaves num1", on_walk(variants));
  return lesson;
}

}  // namespace gradwalk::lesson_04
