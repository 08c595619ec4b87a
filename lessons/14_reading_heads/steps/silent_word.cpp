#include <fmt/format.h>

#include <cstdint>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void silent_word(Step& step) {
  constexpr std::int64_t words = 12, d = 4;
  Generator gen = step.generator("silent word");
  const Tensor s = normal({words}, gen, kF64), v = normal({words, d}, gen, kF64);
  fill(slice(s, 0, 0, 1), 5);
  fill(select(v, 0, 0), 0);
  const auto outcome = [](const Tensor& weights, const Tensor& values) {
    return squeeze(matmul(unsqueeze(weights, 0), values), 0);
  };
  const Tensor w = softmax(s, 0), o = outcome(w, v);
  const Tensor s_rest = slice(s, 0, 1, words), v_rest = slice(v, 0, 1, words);
  const Tensor w_rest = softmax(s_rest, 0), o_rest = outcome(w_rest, v_rest);
  const double weight = w.at({0}), length = nn::length(o).item(),
               hidden = nn::length(o_rest).item();
  step.formula("o = sum_j w_j v_j      12 words; word 0 has the score 5 and the value 0");
  const double added = weight * nn::length(select(v, 0, 0)).item();
  step.predict("Word 0 gets nine tenths of the weight. How much of the output is its own?",
               {"nine tenths", "one tenth", "nothing"},
               added == 0             ? 2
               : added < 0.5 * length ? 1
                                      : 0);
  step.table("three answers to: how important is word 0?", {"word 0"})
      .digits(3)
      .row("its weight w_0", {weight}, "nearly all")
      .row("what it adds, |w_0 v_0|", {added}, "nothing")
      .row("hidden: |o'| / |o|", {hidden / length},
           "the others share its weight: 1 / (1 - w_0) times as loud");
  step.tensor("s", s).axes("word").explain(Explain::given("5 for word 0, the others N(0, 1)"));
  step.tensor("w", w).axes("word").explain(Explain::softmax("s"));
  step.tensor("v", v)
      .axes("word", "component")
      .explain(Explain::given("0 for word 0, else N(0, 1)"));
  step.tensor("o", o).axes("component").explain(Explain::contraction("j,jc->c", {"w", "v"}));
  step.tensor("s_rest", s_rest).axes("word").explain(Explain::given("s without word 0"));
  step.tensor("w_rest", w_rest).axes("word").explain(Explain::softmax("s_rest"));
  step.tensor("v_rest", v_rest)
      .axes("word", "component")
      .explain(Explain::given("v without word 0"));
  step.tensor("o_rest", o_rest)
      .axes("component")
      .explain(Explain::contraction("j,jc->c", {"w_rest", "v_rest"}));
  auto& bars =
      step.picture(course::Bars("weight, and length of what is added", {"w_j", "|w_j v_j|"}));
  bars.digits(3);
  for (std::int64_t word = 0; word < words; ++word) {
    bars.group(fmt::format("word {}", word),
               {w.at({word}), w.at({word}) * nn::length(select(v, 0, word)).item()});
  }
  step.check("hidden, the output keeps its direction and is 1 / (1 - w_0) times as long",
             course::relative_distance(o_rest, o / (1 - weight)) < 1e-12, "float64");
  step.why(
      "A softmax must put its weight somewhere. A head with nothing to say puts it on a word with "
      "no value: a volume knob, not a source.");
  step.try_next({"./gradwalk run 14 --from=6 --seed=2"});
}

}  // namespace gradwalk::lesson_14
