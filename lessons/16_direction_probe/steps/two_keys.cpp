#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/16_direction_probe/one_head.h"
#include "lessons/16_direction_probe/steps/common.h"
#include "lessons/16_direction_probe/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/plane.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

namespace gradwalk::lesson_16 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void two_keys(Step& step) {
  const Tensor q = hand_query(), k = hand_keys(), equal = of_one_length(k);
  const Reading found = reading_of(q, k), levelled = reading_of(q, equal);
  const std::vector<std::string> names = {"near", "long"};
  step.formula("z_i = q.k_i / sqrt(d) = |q| |k_i| cos(q, k_i) / sqrt(d)");
  step.formula("w = softmax(z)      q [2], two keys k [2,2]");
  step.formula("d: numbers in a query, here 2; not the width of the model");
  step.formula("k'_i = k_i m / |k_i|, m: mean of |k_i|. Same directions, one length");
  step.predict("\"near\" points almost where q points, \"long\" 60 degrees off. Who gets more?",
               {"near", "long", "both the same"}, closer_wins(/*equal_lengths=*/false) ? 0 : 1);
  auto table = step.table("q = (1, 0)", {"cos", "|k|", "z", "w", "|k'|", "z'", "w'"});
  for (std::int64_t i = 0; i < 2; ++i) {
    table.digits(3).row(
        names[static_cast<std::size_t>(i)],
        {found.cosines.at({i}), found.lengths.at({i}), found.scores.at({i}), found.weights.at({i}),
         levelled.lengths.at({i}), levelled.scores.at({i}), levelled.weights.at({i})});
  }
  step.tensor("q", q).axes("component").explain(Explain::given("by hand"));
  step.tensor("k", k).axes("key", "component").rows(names).explain(Explain::given("by hand"));
  step.tensor("m/|k|", levelled.lengths / found.lengths)
      .axes("key")
      .columns(names)
      .explain(Explain::given("mean length over own length"));
  step.tensor("k'", equal)
      .axes("key", "component")
      .rows(names)
      .explain(Explain::contraction("i,ic->ic", {"m/|k|", "k"}));
  const auto record = [&](const std::string& mark, const Reading& reading) {
    step.tensor("z" + mark, reading.scores)
        .axes("key")
        .columns(names)
        .explain(Explain::contraction("c,ic->i", {"q", "k" + mark}, 1 / std::sqrt(2.0)));
    step.tensor("w" + mark, reading.weights)
        .axes("key")
        .columns(names)
        .explain(Explain::softmax("z" + mark));
  };
  record("", found);
  record("'", levelled);
  auto& plane = step.picture(course::Plane("a query and two keys", "component 0", "component 1"));
  plane.arrow("q", q.at({0}), q.at({1}));
  for (std::int64_t i = 0; i < 2; ++i) {
    plane.arrow(names[static_cast<std::size_t>(i)], k.at({i, 0}), k.at({i, 1}));
  }
  step.check("the key that points elsewhere wins, and loses once lengths are equal",
             !closer_wins(/*equal_lengths=*/false) && closer_wins(/*equal_lengths=*/true));
  step.why(
      "A dot product is how far a key reaches along the query: a long one reaches far even at an "
      "angle. Directions alone decide only among equal lengths.");
  step.try_next({"./gradwalk run 16 --step", "./gradwalk run 16 --predict"});
}

}  // namespace gradwalk::lesson_16
