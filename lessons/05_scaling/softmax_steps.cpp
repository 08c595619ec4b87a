#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/05_scaling/drawn.h"
#include "lessons/05_scaling/steps.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kKeys = 64;

/// Both kinds of scores of the same queries and keys, means over the seeds.
struct RawAndScaled {
  Saturation raw, scaled;
};

RawAndScaled saturation_at(Step& step, std::int64_t d_k, double raw_factor, double scaled_factor) {
  std::vector<Saturation> raw, scaled;
  for (std::int64_t seed = 0; seed < step.whole("seeds"); ++seed) {
    const Tensor s = random_scores(step.whole("queries"), kKeys, d_k,
                                   step.generator(fmt::format("queries {} {}", d_k, seed)));
    raw.push_back(saturation_of(s * raw_factor));
    scaled.push_back(saturation_of(s * scaled_factor));
  }
  return {mean_of(raw), mean_of(scaled)};
}

double root_factor(std::int64_t d_k) { return 1 / std::sqrt(static_cast<double>(d_k)); }

}  // namespace

void divide(Step& step) {
  const bool no_scale = step.broken("no-scale");
  const std::vector<std::int64_t> d_ks = widths(step);
  const Tensor& scores = scores_of(step, d_ks, step.whole("pairs"), {});
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
  step.curves("entropy in nats: high: spread out, 0: one key has all", "log2 d_k")
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
  step.heatmap("8 queries (rows) and 8 keys, d_k 64: weights raw and scaled", {"W_raw", "W"});
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
  step.curves("raw scores: mean |J|, and the share of dead rows", "log2 d_k")
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

}  // namespace gradwalk::lessons
