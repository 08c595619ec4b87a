#include "lessons/22_values_and_collapse/scores.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_22 {

using course::Explain;

tasks::NumberTraining training_on(course::Step& step, std::int64_t numbers,
                                  tasks::NumberDraw draw) {
  tasks::NumberTraining training;
  training.task = texts_with(numbers, draw);
  training.updates = static_cast<int>(step.whole("updates"));
  return training;
}

void record_scores(course::Step& step, const std::string& name, const KeySpread& measures,
                   const std::string& of) {
  const std::int64_t numbers = measures.z.shape()[0];
  step.tensor("q_" + name, measures.head.query)
      .axes("component")
      .explain(Explain::given(fmt::format("the query of [CLS]; {}", of)));
  step.tensor("K_" + name, slice(measures.head.keys, 0, 1, 1 + numbers))
      .axes("number", "component")
      .explain(Explain::given(fmt::format("keys of the numbers 0 to {}; {}", numbers - 1, of)));
  step.tensor("z_" + name, measures.z)
      .axes("number")
      .explain(Explain::contraction("c,nc->n", {"q_" + name, "K_" + name}, 1 / std::sqrt(8.0)));
}

std::vector<double> centred(const Tensor& z) {
  std::vector<double> values = z.to_vector();
  const double middle = mean(z).item();
  for (double& value : values) value -= middle;
  return values;
}

}  // namespace gradwalk::lesson_22
