#include "lessons/21_interventions/example_text.h"

#include <cmath>
#include <cstdint>

#include "lessons/course/pictures/heatmap.h"
#include "nn/statistics/summary.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_21 {

using course::Explain;

ExampleText example_text() {
  return {.tokens = {"[CLS]", "12", "11", "3", "n14", "n11", "n5", "n2", "n9"},
          .ids = {0, 13, 12, 4, 31, 28, 22, 19, 26},
          .largest = 1};
}

void record_reading(course::Step& step, const std::string& caption,
                    const std::vector<std::string>& names,
                    const std::vector<tasks::ClsHead>& heads) {
  const ExampleText text = example_text();
  const auto length = static_cast<std::int64_t>(text.ids.size());
  const Tensor ids = from_vector(text.ids, {length}, DType::kInt64);
  const double scale = 1 / std::sqrt(8.0);
  std::vector<Tensor> queries, keys, scores;
  for (const tasks::ClsHead& head : heads) {
    const Tensor of_text = index_select(head.keys, 0, ids);
    queries.push_back(unsqueeze(head.query, 0));
    keys.push_back(unsqueeze(of_text, 0));
    scores.push_back(unsqueeze(matmul(of_text, head.query) * scale, 0));
  }
  const Tensor z = concat(scores, 0);
  step.tensor("q", concat(queries, 0))
      .axes("head", "component")
      .rows(names)
      .explain(Explain::given("W_Q e_CLS"));
  step.tensor("K", concat(keys, 0))
      .axes("head", "token", "component")
      .rows(names)
      .explain(Explain::given("W_K e of each token of the text"));
  step.tensor("z", z)
      .axes("head", "token")
      .rows(names)
      .columns(text.tokens)
      .explain(Explain::contraction("hc,htc->ht", {"q", "K"}, scale));
  step.tensor("w", softmax(z, -1))
      .axes("head", "token")
      .rows(names)
      .columns(text.tokens)
      .explain(Explain::softmax("z"));
  step.picture(course::Heatmap(caption, {"w"}));
}

std::vector<double> centred_scores(const tasks::Alignment& alignment) {
  std::vector<double> z = tasks::number_rows(alignment.match.logits, {}).to_vector();
  const double middle = nn::summarize(z).mean;
  for (double& score : z) score -= middle;
  return z;
}

}  // namespace gradwalk::lesson_21
