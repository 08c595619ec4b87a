#include <fmt/format.h>

#include <cmath>

#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/step.h"
#include "lessons/course/pictures/bars.h"
#include "tensor/layout.h"
#include "tensor/moments.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_template {

void sum_of_numbers(course::Step& step) {
  const std::int64_t sums = step.whole("sums");
  Generator generator = step.generator("numbers");
  const Tensor drawn = normal({sums, 16}, generator, DType::kFloat64);
  const Tensor x = step.broken("one-draw") ? expand(slice(drawn, 1, 0, 1), drawn.shape()) : drawn;
  const auto variance = [&](std::int64_t n) { return var(sum(slice(x, 1, 0, n), {1})).item(); };
  const double one = variance(1), four = variance(4) / one, sixteen = variance(16) / one;
  const double off = 5 * std::sqrt(4 / static_cast<double>(sums));

  step.formula("s = x_0 + ... + x_(n-1)      x: drawn from N(0, 1), each by itself");
  step.formula("variance of s = n * variance of x");
  step.predict("16 numbers are added. How much larger is the variance?", {"4", "16", "256"},
               sixteen < 8 ? 0 : (sixteen < 64 ? 1 : 2));
  step.table("variance of a sum, times that of one number", {"expected", "measured"})
      .digits({0, 3})
      .row("n = 4", {4, four})
      .row("n = 16", {16, sixteen}, fmt::format("{} sums", sums));
  const Tensor shown = slice(x, 0, 0, 3);
  step.tensor("x", shown).axes("sum", "number").explain(course::Explain::given("N(0, 1)"));
  step.tensor("s", sum(shown, {1})).explain(course::Explain::contraction("ij->i", {"x"}));
  step.picture(course::Bars("variance, times that of one number", {"measured"}))
      .group("n = 4", {four})
      .group("n = 16", {sixteen});
  step.check("one number has variance 1", std::abs(one - 1) < off, fmt::format("{:.3f}", one));
  const bool adds_up = std::abs(four / 4 - 1) < off && std::abs(sixteen / 16 - 1) < off;
  step.claim("T1", course::Evidence::kTensor, /*cases=*/2 * sums)
      .as_stated(adds_up)
      .right(adds_up)
      .value(sixteen)
      .expected(fmt::format("4 and 16, each to {:.0f}%", 100 * off))
      .tolerance(fmt::format("5 SE of a ratio of variances, N={}", sums))
      .found(fmt::format("{:.2f} and {:.2f}", four, sixteen));
  step.why("Products of two independent numbers average to 0; each one's own square is left.");
  step.try_next({"./gradwalk run 0 --break=one-draw", "./gradwalk run 0 --set=sums=1024"});
}

}  // namespace gradwalk::lesson_template
