#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::lesson_04 {
namespace {

using course::distance;
using course::Evidence;
using course::largest;
using course::Step;
using tasks::ToyState;

}  // namespace

void score_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const Tensor centred = s.g_dot_v - s.g_dot_output;
  const Tensor ours = step.broken("no-weight-factor") ? centred : s.a * centred;
  const Tensor output_dot_v = matmul(s.v, s.output);
  const Tensor article = output_dot_v - matmul(s.a, output_dot_v);
  const Tensor& measured = walk.difference.at("z");
  const bool same_sign = article.at({1}) * measured.at({1}) > 0;
  step.formula("dz_i = a_i (g.v_i - g.output)      sum_i dz_i = 0      a[3] g.v[3] -> dz[3]");
  step.formula("article: dz_i = output.v_i - sum_j a_j output.v_j");
  step.table("dL/dz", kTokens)
      .digits(4)
      .row("our formula", ours, fmt::format("sum {:.0e}", sum(ours).item()))
      .row("difference quotient", measured, "z moved a little")
      .row("autograd", s.dz)
      .row("article's formula", article, same_sign ? "num1: right sign" : "num1: wrong sign")
      .row("article's times a_i", s.a * article, "still not it");
  auto& bars = step.picture(course::Bars("dL/dz", {"measured", "ours", "article"}));
  for (std::int64_t i = 0; i < 3; ++i) {
    bars.group(kTokens[std::size_t(i)], {measured.at({i}), ours.at({i}), article.at({i})});
  }
  record_score_gradient(step, walk);
  const double article_error = distance(article, measured) / largest(measured);
  const double our_error = distance(ours, measured);
  step.claim("A4", Evidence::kTensor, /*cases=*/3)
      .as_stated(article_error <= 0.5 && same_sign)
      .right(our_error < 1e-8 && std::abs(sum(ours).item()) < 1e-14)
      .value(article_error)
      .expected("<= 50 % off")
      .tolerance("1e-8: what a central difference with step 1e-5 is good for")
      .found(fmt::format("{:.0f} % off, ours {:.0e}", 100 * article_error, our_error));
  check_three_ways(step, walk, {"z"});
  step.why(
      "Two slips: the output stands where its gradient g belongs, and the factor a_i is gone. "
      "Descent on it would lower num1's score.");
  step.try_next({"./gradwalk run 4 --break=no-weight-factor"});
}

}  // namespace gradwalk::lesson_04
