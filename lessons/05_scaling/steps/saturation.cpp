#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/scores_by_width.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void saturation(Step& step) {
  const bool scaled_too = step.broken("scale-raw");
  step.formula("J[i,j] = dw_i/ds_j = w_i ((1 if i = j, else 0) - w_j)");
  step.formula("what share i does when score j is pushed: gradients pass through J");
  step.formula("|J|: root of the sum of squares, from 0 (one has all) to 0.5 (two share)");
  step.formula("dead row: |J| < 1 % of 0.5, hardly any gradient gets through");
  auto table = step.table("raw scores, 64 keys; means over rows, a query each; < 1e-6: a share",
                          {"max w", "w < 1e-6", "|J|", "dead rows"});
  std::vector<double> x, jacobian, dead;
  Saturation raw64, scaled64;
  double scaled_dead = 0, dead256 = 0;
  for (const std::int64_t d_k : widths(step)) {
    const double factor = root_factor(d_k);
    const RawAndScaled s = saturation_at(step, d_k, scaled_too ? factor : 1, factor);
    x.push_back(std::log2(d_k));
    jacobian.push_back(s.raw.jacobian);
    dead.push_back(s.raw.dead);
    scaled_dead = std::max(scaled_dead, s.scaled.dead);
    if (d_k == 64) {
      raw64 = s.raw;
      scaled64 = s.scaled;
    }
    if (d_k == 256) dead256 = s.raw.dead;
    table.digits(3).row(at_width(d_k), {s.raw.max_weight, s.raw.tiny, s.raw.jacobian, s.raw.dead});
  }
  table.row("64 scaled", {scaled64.max_weight, scaled64.tiny, scaled64.jacobian, scaled64.dead},
            "much the same at every d_k");
  const auto top = std::max_element(jacobian.begin(), jacobian.end());
  step.predict("d_k grows from 4. Does the mean |J| fall all the way?",
               {"yes, it falls", "no, it rises first"}, top == jacobian.begin() ? 0 : 1);
  step.picture(course::Curves("raw scores: mean |J|, and the share of dead rows", "log2 d_k"))
      .series("mean |J|", x, jacobian)
      .series("dead rows", x, dead);
  step.number("|J| at 64, raw over scaled", raw64.jacobian / scaled64.jacobian,
              "the mean has not vanished; dead rows have", 2);
  const bool sharp = raw64.max_weight > scaled64.max_weight + 0.5;
  const bool rising = std::is_sorted(dead.begin(), dead.end()) && dead.back() > dead.front();
  step.claim("B27", Evidence::kTensor,
             /*cases=*/step.whole("seeds") * step.whole("queries") *
                 static_cast<std::int64_t>(x.size()))
      .seeds(static_cast<int>(step.whole("seeds")))
      .as_stated(sharp && dead256 > 0.3)
      .right(sharp && rising && dead256 > 0.3 && scaled_dead == 0)
      .value(dead256)
      .expected("max w raw > scaled + 0.5 at 64; dead rows rise, > 0.3 at 256, scaled: none")
      .tolerance("bounds of our choice; a share is sure to 0.06 (4 SE, N=1280)")
      .found(fmt::format("dead rows {:.2f} at 64, {:.2f} at 256; |J| {:.2f}, scaled {:.2f} at 64",
                         raw64.dead, dead256, raw64.jacobian, scaled64.jacobian));
  step.why(
      "Undecided rows pass more than flat ones and lift the mean; rows that one key has won pass "
      "none: more and more of them if raw, none if scaled.");
  step.try_next({"./gradwalk run 5 --claim=B27 --break=scale-raw"});
}

}  // namespace gradwalk::lesson_05
