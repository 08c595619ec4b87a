// Lesson 5: why scores are divided by sqrt(d_k).
//
// Claims   B25, B26, B27, B28, B29, B30, B33: article 003, sections 3.2 and 3.3, on how large dot
//          products are, what that does to a softmax and to training, and how small a weight gets
// Builds   on lesson 1 (softmax, temperature, the model that learns to look up) and 2 (heads)
// Run      ./gradwalk run 5 --step
//
// scores.h has the measures, drawn.h the scores of all seeds, unscaled.h the trainings; steps.h
// says where the later steps stand.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/05_scaling/drawn.h"
#include "lessons/05_scaling/steps.h"
#include "lessons/course/measure.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

void mean_and_variance(Step& step) {
  const Entries entries{.mean = step.broken("shift-mean") ? 0.5 : 0};
  const std::vector<std::int64_t> d_ks = widths(step);
  const Tensor& scores = scores_of(step, d_ks, step.whole("pairs"), entries);
  const auto count = static_cast<double>(scores.shape()[1]);
  std::vector<double> x, y, means, bounds;
  double low = 1e9, high = 0;
  for (std::size_t i = 0; i < d_ks.size(); ++i) {
    const Tensor row = select(scores, 0, static_cast<std::int64_t>(i));
    const auto d_k = static_cast<double>(d_ks[i]);
    means.push_back(mean(row).item());
    bounds.push_back(5 * std::sqrt(d_k / count));
    const double v = variance(row);
    low = std::min(low, v / d_k);
    high = std::max(high, v / d_k);
    x.push_back(std::log2(d_k));
    y.push_back(std::log2(v));
  }
  Generator gen = step.generator("one pair");
  const Tensor q = normal({4}, gen, DType::kFloat64), k = normal({4}, gen, DType::kFloat64);
  step.formula("q asks, k answers; their score s = q.k = q_0 k_0 + ...: how well k fits");
  step.formula("d_k: how many numbers q and k have, so s is a sum of d_k products");
  step.formula("numbers drawn from N(0, 1), mean 0 and variance 1:");
  step.formula("mean of s = 0      variance of s = d_k      std = sqrt(d_k)");
  const double deviation = std::exp2(y[2] / 2);
  step.predict(
      "q and k have 64 numbers each, all drawn from N(0, 1). How far from 0 is a typical "
      "q.k?",
      {"about 1", "about 8", "about 64"},
      deviation < 3    ? 0
      : deviation < 24 ? 1
                       : 2);
  step.table("one pair with d_k = 4", {"0", "1", "2", "3"})
      .digits(3)
      .row("q", q)
      .row("k", k)
      .row("q_i k_i", q * k, fmt::format("sum: s = {:.3f}", sum(q * k).item()));
  auto table = step.table(fmt::format("{:.0f} pairs for each d_k; 0 +-: 5 standard errors", count),
                          {"mean", "0 +-", "std", "variance", "var/d_k"});
  for (std::size_t i = 0; i < d_ks.size(); ++i) {
    const double v = std::exp2(y[i]);
    table.digits({3, 3, 2, 1, 3})
        .row(at_width(d_ks[i]),
             {means[i], bounds[i], std::sqrt(v), v, v / static_cast<double>(d_ks[i])});
  }
  const Tensor shifted = select(scores_of(step, {64}, step.whole("pairs"), {.mean = 0.5}), 0, 0);
  table.row("d_k 64, mean 0.5",
            {mean(shifted).item(), 5 * std::sqrt(96 / count), std::sqrt(variance(shifted)),
             variance(shifted), variance(shifted) / 64},
            "64 * 0.25; 64 * 1.5");
  step.curves("log2 of the variance: d_k doubled (1 right), variance doubled (1 up)", "log2 d_k")
      .series("variance", x, y);
  step.tensor("q", q).axes("component").explain(Explain::given("N(0, 1)"));
  step.tensor("k", k).axes("component").explain(Explain::given("N(0, 1)"));
  step.tensor("s", sum(q * k)).explain(Explain::contraction("i,i->", {"q", "k"}));
  const double off = variance_tolerance(count);
  bool at_zero = true, grows = true;
  for (std::size_t i = 0; i < means.size(); ++i) {
    at_zero = at_zero && std::abs(means[i]) < bounds[i];
    grows = grows && means[i] > bounds[i] && (i == 0 || means[i] > means[i - 1]);
  }
  step.claim("B25", Evidence::kTensor, /*cases=*/scores.numel())
      .seeds(static_cast<int>(step.whole("seeds")))
      .as_stated(grows && std::is_sorted(y.begin(), y.end()))
      .right(at_zero && low > 1 - off && high < 1 + off)
      .value(high)
      .interval(low, high)
      .expected(fmt::format("mean 0 +-5 SE; variance/d_k 1 +-{:.2f}", off))
      .tolerance(fmt::format("{:.2f}: 5 standard errors (SE) of a variance, N={:.0f}", off, count))
      .found(fmt::format("variance/d_k {:.3f} to {:.3f}, mean {:.2f} at {}", low, high,
                         means.back(), d_ks.back()));
  step.why(
      "Each product has mean 0 and variance 1, and variances of independent terms add up: d_k of "
      "them. So a typical score is sqrt(d_k) away from 0.");
  step.try_next({"./gradwalk run 5 --claim=B25 --break=shift-mean"});
}

void how_large(Step& step) {
  const bool wide = step.broken("wide-entries");
  const std::vector<std::int64_t> d_ks = {64, 128};
  const std::int64_t pairs = 4 * step.whole("pairs");
  const Tensor& scores = scores_of(step, d_ks, pairs, {.deviation = wide ? 8.0 : 1.0});
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
        select(scores_of(step, {64}, pairs, {.deviation = deviation}), 0, 0),
        deviation == 4 ? "both q and k: scores x 16" : "scores x 64");
  }
  auto bars = step.bars("share of the scores by size", {"d_k 64", "d_k 128"});
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

}  // namespace

course::Lesson lesson_05_scaling() {
  course::Lesson lesson(5, "scaling", "Why scores are divided by sqrt(d_k)");
  lesson.seeds(/*full=*/5, /*quick=*/2, "random repetitions of the first five steps");
  lesson.parameter({.name = "pairs",
                    .value = 5000,
                    .min = 2000,
                    .max = 200000,
                    .whole = true,
                    .what = "pairs of q and k for each seed and width; step 2: four times"});
  lesson.parameter({.name = "width",
                    .value = 1024,
                    .quick = 256,
                    .min = 256,
                    .max = 1024,
                    .whole = true,
                    .what = "largest d_k of the first steps"});
  lesson.parameter({.name = "queries",
                    .value = 256,
                    .min = 16,
                    .max = 4096,
                    .whole = true,
                    .what = "rows of weights for each seed and width"});
  lesson.parameter({.name = "models",
                    .value = 3,
                    .min = 1,
                    .max = 20,
                    .whole = true,
                    .what = "random starts of each training"});
  lesson.sabotage("shift-mean", "entries of q and k have mean 0.5");
  lesson.sabotage("wide-entries", "entries of q and k have std 8");
  lesson.sabotage("no-scale", "nothing is divided");
  lesson.sabotage("scale-raw", "the scores that should stay raw are divided by sqrt(d_k)");
  lesson.sabotage("model-root", "the layer divides by sqrt(d_model)");
  lesson.sabotage("keep-scale", "the model without the factor has it after all");
  lesson.sabotage("hard-mask", "the far key is masked");

  lesson.steps_stand_alone();
  lesson.step("How large is a dot product of random vectors?", mean_and_variance, {"B25"});
  lesson.step("Tens, not hundreds", how_large, {"B26"});
  lesson.step("Divide by sqrt(d_k)", divide, {"B28"});
  lesson.step("A softmax dies row by row", saturation, {"B27"});
  lesson.step("Which root: that of a head's width", which_root, {"B30"});
  lesson.step("Training without the factor", without_scale, {"B29"});
  lesson.step("Never exactly zero?", never_zero, {"B33"});
  return lesson;
}

}  // namespace gradwalk::lessons
