#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/scores_by_width.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void divide(Step& step) {
  const bool no_scale = step.broken("no-scale");
  const std::vector<std::int64_t> d_ks = widths(step);
  const Tensor& scores = scores_by_width(step, d_ks, step.whole("pairs"), {});
  step.formula("s = q.k / sqrt(d_k)      variance: d_k / d_k = 1 for every d_k");
  step.formula("w = softmax(s), over 64 keys      all alike: 1/64 = 0.016 each");
  step.formula("entropy H = -sum_j w_j ln w_j      all alike: ln 64 = 4.16; one: 0");
  auto table = step.table("raw: q.k; scaled: / sqrt(d_k); H in nats; max: the best key's share",
                          {"Var raw", "Var scaled", "H raw", "H scaled", "max raw", "max scaled"});
  std::vector<double> x, entropy, raw_entropy;
  double low = 1e9, high = 0, raw_max = 0;
  for (std::size_t i = 0; i < d_ks.size(); ++i) {
    const double factor = no_scale ? 1 : root_factor(d_ks[i]);
    const Tensor row = select(scores, 0, static_cast<std::int64_t>(i));
    const double raw_variance = variance(row), v = variance(row * factor);
    const RawAndScaled s = saturation_at(step, d_ks[i], 1, factor);
    low = std::min(low, v);
    high = std::max(high, v);
    x.push_back(std::log2(d_ks[i]));
    entropy.push_back(s.scaled.entropy);
    raw_entropy.push_back(s.raw.entropy);
    if (d_ks[i] == 64) raw_max = s.raw.max_weight;
    table.digits({1, 3, 2, 2, 2, 2})
        .row(at_width(d_ks[i]), {raw_variance, v, s.raw.entropy, s.scaled.entropy, s.raw.max_weight,
                                 s.scaled.max_weight});
  }
  step.predict("64 random keys, d_k = 64, not scaled. How much does the best key get?",
               {"about 0.1", "about 0.4", "about 0.8"},
               raw_max < 0.25  ? 0
               : raw_max < 0.6 ? 1
                               : 2);
  step.picture(course::Curves("entropy in nats: high: spread out, 0: one key has all", "log2 d_k"))
      .series("raw", x, raw_entropy)
      .series("scaled", x, entropy);
  Generator gen = step.generator("eight tokens");
  const Tensor q = normal({8, 64}, gen, DType::kFloat64), k = normal({8, 64}, gen, DType::kFloat64);
  const double factor = no_scale ? 1 : root_factor(64);
  const Tensor s_raw = matmul(q, transpose(k)), s = s_raw * factor;
  step.tensor("Q", q).axes("query", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("K", k).axes("key", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("S_raw", s_raw)
      .axes("query", "key")
      .explain(Explain::contraction("ic,jc->ij", {"Q", "K"}));
  step.tensor("S", s)
      .axes("query", "key")
      .explain(Explain::contraction("ij->ij", {"S_raw"}, factor));
  step.tensor("W_raw", softmax(s_raw, -1)).axes("query", "key").explain(Explain::softmax("S_raw"));
  step.tensor("W", softmax(s, -1)).axes("query", "key").explain(Explain::softmax("S"));
  step.picture(course::Heatmap("8 queries (rows) and 8 keys, d_k 64: weights raw and scaled",
                               {"W_raw", "W"}));
  const auto [least, most] = std::minmax_element(entropy.begin(), entropy.end());
  const double spread = (*most - *least) / ((*most + *least) / 2);
  const auto count = static_cast<double>(scores.shape()[1]);
  const double off = variance_tolerance(count);
  const bool holds = low > 1 - off && high < 1 + off && spread < 0.05;
  step.claim("B28", Evidence::kTensor, /*cases=*/scores.numel())
      .seeds(static_cast<int>(step.whole("seeds")))
      .as_stated(holds)
      .right(holds)
      .value(high)
      .interval(low, high)
      .expected(fmt::format("variance 1 +-{:.2f}; entropies within 5 %", off))
      .tolerance(fmt::format("{:.2f}: 5 standard errors (SE) of a variance, N={:.0f}", off, count))
      .found(fmt::format("variance {:.3f} to {:.3f}, entropies {:.1f} % apart", low, high,
                         100 * spread));
  step.why(
      "Dividing by sqrt(d_k) takes out just what the number of products put in, so a softmax sees "
      "the same scores at every width.");
  step.try_next({"./gradwalk run 5 --claim=B28 --break=no-scale", "./gradwalk run 5 --predict"});
}

}  // namespace gradwalk::lesson_05
