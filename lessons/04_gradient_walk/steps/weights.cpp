#include <fmt/format.h>

#include <cstdint>

#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/reference/softmax.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_04 {
namespace {

using course::distance;
using course::Evidence;
using course::Step;

Tensor exact(std::initializer_list<double> values) { return vector(values, DType::kFloat64); }

}  // namespace

void weights(Step& step, Walk& walk) {
  const Tensor article = exact({0.32, 0.39, 0.29});
  const Tensor scores = step.broken("article-logits") ? log(article) : walk.now.z;
  const Tensor ours = softmax(scores, /*axis=*/-1);
  const Tensor loops = reference::softmax(exact({0.1, 0.3, 0.2}), /*axis=*/0);
  step.formula("z_i = q.k_i / sqrt(4)      k[3,4] q[4] -> z[3]");
  step.formula("a_i = exp(z_i) / sum_j exp(z_j)      z[3] -> a[3]");
  step.table("", kTokens)
      .digits(4)
      .row("z", scores, "scores")
      .row("a = softmax(z)", ours, fmt::format("sum {:.4f}", sum(ours).item()))
      .row("article's a", article, fmt::format("sum {:.4f}", sum(article).item()))
      .row("ln of that", log(article), "scores it would need");
  auto& bars = step.picture(course::Bars("weight of each token", {"softmax", "article"}));
  for (std::int64_t i = 0; i < 3; ++i) {
    bars.group(kTokens[std::size_t(i)], {ours.at({i}), article.at({i})});
  }
  record_weights(step, walk);
  const double error = distance(ours, article);
  step.claim("A3", Evidence::kTensor, /*cases=*/3)
      .as_stated(error <= 0.005)
      .right(distance(ours, loops) < 1e-15)
      .value(error)
      .expected("off by <= 0.005")
      .tolerance("1e-15 to float64 loops: a few rounding errors")
      .found(fmt::format("off by {:.4f}", error));
  step.why(
      "Nearly flat: [CLS] takes in a blend. The printed triple is no softmax of these scores; it "
      "even swaps [CLS] and num2.");
  step.try_next({"./gradwalk run 4 --claim=A3", "./gradwalk run 4 --break=article-logits"});
}

}  // namespace gradwalk::lesson_04
