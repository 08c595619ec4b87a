#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/06_init_variance/initialization.h"
#include "lessons/06_init_variance/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_06 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void squared_in_scores(Step& step) {
  const std::int64_t models = step.whole("models");
  const std::vector<double> factors = {0.01, 0.3, 1, 3, 10};
  std::vector<Initialization> starts;
  for (const double factor : factors) starts.push_back({.factor = factor});
  const PageAttention attention = page_attention(step, starts);
  step.formula("W_Q, W_K [32,32] begin as draws from N(0, 1/32), all times G");
  step.formula("q = W_Q x      k = W_K x      s = q.k / sqrt(32)      G = 1: usual");
  step.formula("w = softmax(s) over 8 cards and the question: even is 1/9 = 0.111");
  std::vector<InitialMeasures> begun;
  for (const Initialization& start : starts) begun.push_back(initial_measures(step, start, models));
  const double grown = begun[3].score_deviation / begun[2].score_deviation;
  step.predict("W_Q and W_K both begin 3 times as large. What happens to the scores?",
               {"3 times as large", "9 times as large", "81 times as large"},
               grown < 5    ? 0
               : grown < 27 ? 1
                            : 2);
  auto table = step.table(fmt::format("before training: 256 pages, models: {}", models),
                          {"std s", "H / ln 9", "max w"});
  const std::vector<std::string> notes = {"H: entropy of w", "1: all w are even", "the usual start",
                                          "max w: the best key's", ""};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    names.push_back(fmt::format("G {}", factors[i]));
    table.digits({4, 4, 3}).row(
        names[i], {begun[i].score_deviation, begun[i].entropy, begun[i].max_weight}, notes[i]);
  }
  const Tensor squares = vector({1e-4, 0.09, 1, 9, 100}, DType::kFloat32);
  step.tensor("q", select(attention.query, 0, 2))
      .axes("component")
      .explain(Explain::given("the question's query, W_Q x with G = 1"));
  step.tensor("K", select(attention.keys, 0, 2))
      .axes("card", "component")
      .rows(attention.cards)
      .explain(Explain::given("keys of the cards, W_K x with G = 1"));
  step.tensor("G2", squares).axes("factor").columns(names).explain(Explain::given("G^2"));
  step.tensor("S", attention.scores)
      .axes("factor", "card")
      .rows(names)
      .columns(attention.cards)
      .explain(Explain::contraction("f,i,ci->fc", {"G2", "q", "K"}, 1 / std::sqrt(32.0)));
  step.tensor("W", attention.weights)
      .axes("factor", "card")
      .rows(names)
      .columns(attention.cards)
      .explain(Explain::softmax("S"));
  step.picture(
      course::Heatmap("weights of one question; 7=3: key 7 holds value 3; *: asked for", {"W"}));
  const Tensor predicted = unsqueeze(squares, 1) * select(attention.scores, 0, 2);
  double off = 0;
  for (std::int64_t i = 0; i < predicted.shape()[0]; ++i) {
    off = std::max(
        off, course::relative_distance(select(attention.scores, 0, i), select(predicted, 0, i)));
  }
  step.check("scores are G^2 times those at G = 1", off < 1e-5,
             fmt::format("45 scores, at most {:.0e} of the largest off", off));
  step.why(
      "Both sides of the dot product carry the factor, so scores carry its square, and softmax "
      "turns the size of scores into how sharply it chooses.");
  step.try_next({"./gradwalk run 6 --step", "./gradwalk run 6 --predict"});
}

}  // namespace gradwalk::lesson_06
