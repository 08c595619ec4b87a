#include <cmath>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/by_width.h"
#include "lessons/tasks/module_weight.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void five_words(Step& step) {
  const std::vector<std::string> words = {"why", "a", "shy", "fox", "hears"};
  const std::vector<std::string> four(words.begin(), words.end() - 1);
  Generator gen = step.generator("five words");
  const Tensor x = normal({5, 4}, gen);
  const nn::MultiHeadAttention layer(
      4, nn::Seed(step.seed()) / "kv_cache/five words",
      {.head_dim = 3, .causal = true, .linear = {.bias = false, .init = tasks::kByWidth}});
  const NoGrad no_grad;
  nn::AttentionTrace before, now;
  layer(Variable(slice(unsqueeze(x, 0), 1, 0, 4)), {.trace = &before});
  layer(Variable(unsqueeze(x, 0)), {.trace = &now});
  const auto head = [](const Variable& all) { return select(select(all.value(), 0, 0), 0, 0); };
  const Tensor k4 = head(before.key), k5 = head(now.key), v5 = head(now.value);
  step.formula("to write: read the text, pick the next word, read that one too, ...");
  step.formula("each word is a vector x[4] and gives three vectors of 3 numbers:");
  step.formula("q = W_Q x: what it asks      k = W_K x: what it is found by");
  step.formula("v = W_V x: what it hands over to those that find it");
  step.formula("the newest asks: s_j = q.k_j / sqrt(3), how well word j fits");
  step.formula("w = softmax(s): shares, sum 1      answer = sum_j w_j v_j");
  step.formula("the mask: a word sees itself and those before it, none after it");
  const bool same = course::distance(k4, slice(k5, 0, 0, 4)) == 0;
  step.predict("\"hears\" is read after \"why a shy fox\". Which keys change?",
               {"all of them", "none: one more comes"}, same ? 1 : 0);
  step.table("computed for the fifth word", {"all again", "new ones"})
      .digits(0)
      .row("queries", {5, 1}, "the newest asks")
      .row("keys", {5, 1}, "four stay")
      .row("values", {5, 1}, "likewise")
      .row("scores", {25, 5}, "q with 5 keys; 25 with masked ones");
  step.table("how much of each value goes into its answer", words)
      .digits(3)
      .row("weight w", select(head(now.weights), 0, 4), "sum 1");
  step.tensor("x", x).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  step.tensor("W_Q", tasks::weight_of(layer, "q_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("W_K", tasks::weight_of(layer, "k_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("W_V", tasks::weight_of(layer, "v_proj.weight"))
      .axes("out", "in")
      .explain(Explain::given("N(0, 1/4)"));
  step.tensor("K_four", k4)
      .axes("word", "component")
      .rows(four)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "x"}));
  step.tensor("K_five", k5)
      .axes("word", "component")
      .rows(words)
      .explain(Explain::contraction("ij,tj->ti", {"W_K", "x"}));
  step.tensor("V_five", v5)
      .axes("word", "component")
      .rows(words)
      .explain(Explain::contraction("ij,tj->ti", {"W_V", "x"}));
  step.tensor("q_new", select(head(now.query), 0, 4))
      .axes("component")
      .explain(Explain::contraction("ij,j->i", {"W_Q", "x[4]"}));
  step.tensor("s", select(head(now.scaled_scores), 0, 4))
      .axes("word")
      .rows(words)
      .explain(Explain::contraction("i,ti->t", {"q_new", "K_five"}, 1 / std::sqrt(3.0)));
  step.tensor("w", select(head(now.weights), 0, 4))
      .axes("word")
      .rows(words)
      .explain(Explain::softmax("s"));
  step.tensor("answer", select(head(now.head_outputs), 0, 4))
      .axes("component")
      .explain(Explain::contraction("t,ti->i", {"w", "V_five"}));
  step.picture(course::Heatmap("keys of four words, and of five: the same rows and a new one",
                               {"K_four", "K_five"}));
  step.check("the first four keys are the same bits", same);
  step.why(
      "k and v of a word need only its own x, so they can be kept: the cache. A new word needs "
      "one q, one k and one v.");
  step.try_next({"./gradwalk run 10 --step", "./gradwalk run 10 --help"});
}

}  // namespace gradwalk::lesson_10
