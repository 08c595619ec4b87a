#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/scores_by_width.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void how_large(Step& step) {
  const bool wide = step.broken("wide-entries");
  const std::vector<std::int64_t> d_ks = {64, 128};
  const std::int64_t pairs = 4 * step.whole("pairs");
  const Tensor& scores = scores_by_width(step, d_ks, pairs, {.deviation = wide ? 8.0 : 1.0});
  const std::vector<double> edges = {0, 10, 20, 30, 40, 100, 1e9};
  step.formula("|q.k| of random q and k      q, k [64] and [128] from N(0, 1)");
  step.predict("d_k = 64. How many of 100000 scores are beyond 100 or -100?",
               {"none", "about 1 in 10", "most"},
               share_between(select(scores, 0, 0), 100, 1e9) == 0    ? 0
               : share_between(select(scores, 0, 0), 100, 1e9) < 0.3 ? 1
                                                                     : 2);
  auto table =
      step.table(fmt::format("{} scores each, without sign; > 100: a share", scores.shape()[1]),
                 {"std", "99 % <", "largest", "> 100", "> 1000"});
  const auto row = [&](const std::string& name, const Tensor& s, const std::string& note) {
    table.digits({1, 1, 1, 4, 4})
        .row(name,
             {std::sqrt(variance(s)), quantile(s, 0.99), course::largest(s),
              share_between(s, 100, 1e9), share_between(s, 1000, 1e9)},
             note);
  };
  double beyond = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Tensor s = select(scores, 0, i);
    row(at_width(d_ks[static_cast<std::size_t>(i)]), s, "");
    beyond = std::max(beyond, share_between(s, 100, 1e9));
  }
  for (const double deviation : {4.0, 8.0}) {
    row(fmt::format("64, entries x {}", deviation),
        select(scores_by_width(step, {64}, pairs, {.deviation = deviation}), 0, 0),
        deviation == 4 ? "both q and k: scores x 16" : "scores x 64");
  }
  auto& bars = step.picture(course::Bars("share of the scores by size", {"d_k 64", "d_k 128"}));
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const bool last = i + 2 == edges.size();
    bars.group(last ? "beyond 100" : fmt::format("{} to {}", edges[i], edges[i + 1]),
               {share_between(select(scores, 0, 0), i == 0 ? -1 : edges[i], edges[i + 1]),
                share_between(select(scores, 0, 1), i == 0 ? -1 : edges[i], edges[i + 1])});
  }
  step.claim("B26", Evidence::kTensor, /*cases=*/scores.numel())
      .seeds(static_cast<int>(step.whole("seeds")))
      .as_stated(beyond > 0)
      .right(beyond == 0)
      .value(beyond)
      .expected("none beyond 100")
      .tolerance("a count; 100 is 12.5 std at 64, 8.8 std at 128")
      .found(
          fmt::format("share beyond 100: {:.2g}, largest {:.0f}", beyond, course::largest(scores)));
  step.why(
      "Random vectors give tens, not hundreds. Hundreds need entries of std 4: a bad start or a "
      "trained model. The next steps show that tens are enough for trouble.");
  step.try_next({"./gradwalk run 5 --claim=B26 --break=wide-entries"});
}

}  // namespace gradwalk::lesson_05
