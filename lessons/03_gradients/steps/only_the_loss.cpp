#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/03_gradients/head.h"
#include "lessons/03_gradients/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_03 {
namespace {

using course::Evidence;
using course::Explain;

}  // namespace

void only_the_loss(course::Step& step) {
  const tasks::Toy toy = tasks::toy_base();
  const bool wrong = step.broken("wrong-label");
  const Tensor g = toy_gradient(toy, wrong);
  const double squared = sum(g * g).item();
  const double start = toy_loss_along(toy, g, 0);
  const std::vector<double> rates = {0.1, 0.01, 1e-3, 1e-4};
  step.formula("loss(W_Q - lr G) = loss(W_Q) - lr |G|^2 + O(lr^2)      lr: how far to go");
  step.formula("G = dW_Q [4,4] of lesson 4: three tokens, width 4, one right class   f64");
  auto table =
      step.table("the toy of lesson 4", {"change", "-lr |G|^2", "ratio", "(1 - ratio)/lr"});
  std::vector<double> x, y;
  double worst = 0;
  for (const double lr : rates) {
    const double change = toy_loss_along(toy, g, lr) - start;
    const double ratio = change / (-lr * squared);
    worst = std::max(worst, std::abs(ratio - 1) / lr);
    table.digits({-1, -1, 5, 4})
        .row(fmt::format("lr {}", lr), {change, -lr * squared, ratio, (1 - ratio) / lr});
    x.push_back(std::log10(lr));
    y.push_back(std::log10(std::abs(ratio - 1)));
  }
  step.picture(course::Curves("how far the ratio is from 1: slope 1", "log10 lr"))
      .series("log10 |ratio - 1|", x, y);
  // Any other direction of the same length.
  const std::int64_t directions = step.whole("directions");
  Generator gen = step.generator("directions");
  const double along_gradient = toy_loss_along(toy, g, 1e-3) - start;
  int beaten = 0;
  double best = 1;
  for (std::int64_t i = 0; i < directions; ++i) {
    const Tensor other = normal({4, 4}, gen, DType::kFloat64);
    const Tensor same_length = other * std::sqrt(squared / sum(other * other).item());
    const double change = toy_loss_along(toy, same_length, 1e-3) - start;
    best = std::min(best, change);
    if (change <= along_gradient) ++beaten;
  }
  step.number("change along -G", along_gradient, "nats, lr 0.001", 7);
  step.number("best of random directions", best, fmt::format("of {}", directions), 7);
  step.tensor("G", g)
      .axes("out", "in")
      .explain(Explain::given("dL/dW_Q of the toy by autograd; lesson 4 takes it apart"));
  step.picture(course::Heatmap("the whole message that W_Q gets", {"G"}));
  const bool downhill = worst <= 0.2;
  step.claim("A7", Evidence::kTensor,
             /*cases=*/4 + directions)
      .as_stated(downhill)
      .right(downhill && beaten == 0)
      .value(worst)
      .expected("|ratio - 1| <= 0.2 lr; no direction falls more")
      .tolerance("0.2 lr: half the curvature over |G|^2, measured 0.18")
      .found(
          fmt::format("|ratio - 1| <= {:.3f} lr, {} of {} fall more", worst, beaten, directions));
  step.why(
      "The gradient is the way down of this loss and nothing else: that it ends at number "
      "tokens must come from values and labels.");
  step.try_next({"./gradwalk run 3 --claim=A7 --break=wrong-label", "./gradwalk run 4"});
}

}  // namespace gradwalk::lesson_03
