#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/steps.h"
#include "lessons/course/measure.h"
#include "lessons/course/memo.h"
#include "nn/attention.h"
#include "nn/diagnostics/entropy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr DType kF64 = DType::kFloat64;
constexpr std::int64_t kWidth = 768, kTokens = 128;

struct Scaled {
  double variance;  ///< of all scaled scores
  double entropy;   ///< mean over queries and heads, nats
  Tensor weights;   ///< [128, 128] of head 0
};

/// What a layer's own scores are like before any training; W_Q and W_K keep variance 1.
Scaled measure_layer(const Step& step, std::int64_t heads, std::int64_t seed, double divisor) {
  const NoGrad no_grad;
  const nn::MultiHeadAttention layer(
      kWidth, nn::Seed(step.seed()) / fmt::format("scaling/layer {}", seed),
      {.num_heads = heads,
       .scale = 1 / divisor,
       .has_v_proj = false,
       .has_o_proj = false,
       .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}});
  Generator gen = step.generator(fmt::format("tokens {}", seed));
  nn::AttentionTrace trace;
  layer(Variable(normal({1, kTokens, kWidth}, gen)), {.trace = &trace});
  const Tensor s = to(trace.scaled_scores.value(), kF64);
  const Tensor w = trace.weights.value();
  return {variance(s), mean(nn::entropy(w)).item(), select(select(w, 0, 0), 0, 0)};
}

const Scaled& scaled_scores(const Step& step, std::int64_t heads, std::int64_t seed,
                            double divisor) {
  static course::Memo<std::tuple<std::uint64_t, std::int64_t, std::int64_t, double>, Scaled> memo;
  return memo({step.seed(), heads, seed, divisor},
              [&] { return measure_layer(step, heads, seed, divisor); });
}

/// The share of the farther of two keys, `gap` behind in score, by the library's softmax.
double far_share(double gap, DType dtype) {
  return softmax(from_vector({0, -gap}, {2}, dtype), /*axis=*/-1).at({1});
}

}  // namespace

void which_root(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const bool model_root = step.broken("model-root");
  const std::vector<std::int64_t> counts = {1, 4, 12, 48};
  step.formula("h heads, each with q and k of its own, d_k = 768 / h numbers wide");
  step.formula("128 tokens of 768 numbers: x[128,768] -> q, k [h,128,d_k]");
  step.formula("s = q.k / sqrt(d_k): Var(s) = 1");
  step.formula("s = q.k / sqrt(768): Var(s) = d_k / 768 = 1/h");
  auto table = step.table(
      fmt::format("heads; {} seeds; entropy if all alike: ln 128 = {:.3f}", seeds, std::log(128.0)),
      {"sqrt(d_k): Var", "entropy", "sqrt(768): Var", "entropy"});
  std::vector<double> x, by_head, by_model;
  double head_off = 0, model_off = 0;
  Tensor narrow_head, narrow_model;
  for (const std::int64_t heads : counts) {
    const double head_root = std::sqrt(static_cast<double>(kWidth / heads));
    const double wide_root = std::sqrt(static_cast<double>(kWidth));
    Scaled head{}, model{};
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      const auto share = static_cast<double>(seeds);
      const Scaled& one = scaled_scores(step, heads, seed, model_root ? wide_root : head_root);
      const Scaled& other = scaled_scores(step, heads, seed, wide_root);
      head.variance += one.variance / share;
      head.entropy += one.entropy / share;
      model.variance += other.variance / share;
      model.entropy += other.entropy / share;
      if (seed == 0) {
        narrow_head = one.weights;
        narrow_model = other.weights;
      }
    }
    const auto h = static_cast<double>(heads);
    head_off = std::max(head_off, std::abs(head.variance - 1));
    model_off = std::max(model_off, std::abs(model.variance * h - 1));
    x.push_back(std::log2(h));
    by_head.push_back(std::log2(head.variance));
    by_model.push_back(std::log2(model.variance));
    table.digits({3, 3, 4, 3})
        .row(fmt::format("{} of width {}", heads, kWidth / heads),
             {head.variance, head.entropy, model.variance, model.entropy},
             heads == 1 ? "the same root" : "");
  }
  step.curves("log2 of Var(s)", "log2 of the number of heads")
      .series("by sqrt(d_k)", x, by_head)
      .series("by sqrt(768)", x, by_model);
  const auto corner = [](const Tensor& w) { return slice(slice(w, 0, 0, 6), 1, 0, 6); };
  step.tensor("W_head", corner(narrow_head))
      .axes("query", "key")
      .explain(Explain::given("head 0 of 48: weights of 6 tokens on 6 of 128, by sqrt(d_k)"));
  step.tensor("W_model", corner(narrow_model))
      .axes("query", "key")
      .explain(Explain::given("the same head, by sqrt(768)"));
  step.heatmap("one of 48 heads, 6 x 6 of 128 x 128 weights (alike: 0.0078); marks by own range",
               {"W_head", "W_model"});
  const bool head_right = head_off < 0.1;
  step.claim("B30", Evidence::kTensor,
             /*cases=*/static_cast<std::int64_t>(counts.size()) * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(head_right)
      .right(head_right && model_off < 0.1)
      .value(head_off)
      .expected("sqrt(d_k): Var 1 +-0.1; sqrt(768): h Var 1 +-0.1")
      .tolerance("bound of our choice; a layer's own weights move Var by 0.03 at 48 heads")
      .found(fmt::format("Var within {:.3f} of 1; h * Var within {:.3f}", head_off, model_off));
  step.why(
      "A score adds up the products of one head, d_k of them. sqrt(768) divides too much: narrow "
      "heads would begin by looking at all tokens alike.");
  step.try_next({"./gradwalk run 5 --claim=B30 --break=model-root"});
}

void never_zero(Step& step) {
  const bool masked = step.broken("hard-mask");
  const double hidden = -std::numeric_limits<double>::infinity();
  const auto share = [&](double gap, DType dtype) {
    return masked ? softmax(from_vector({0, hidden}, {2}, dtype), -1).at({1})
                  : far_share(gap, dtype);
  };
  const auto zero_from = [&](DType dtype) {
    return first_gap([&](double gap) { return share(gap, dtype) == 0; }, /*limit=*/1000);
  };
  const double library = zero_from(DType::kFloat32), library64 = zero_from(kF64);
  const double plain =
      first_gap([](double gap) { return std::exp(-static_cast<float>(gap)) == 0; }, /*limit=*/1000);
  const double plain64 = first_gap([](double gap) { return std::exp(-gap) == 0; }, 1000);
  const double edge = 150 * std::log(2.0), normal_edge = 126 * std::log(2.0);
  step.formula("two keys, scores 0 and -gap      w = 1 / (1 + e^gap)");
  step.formula("for real numbers w > 0; float32 has no number between 0 and 2^-149,");
  step.formula("and few digits below 2^-126, where fast kernels may stop");
  step.predict("In float32, by which gap in score is the weight exactly 0?",
               {"never", "about 10", "about 100", "about 1000"},
               std::isinf(library) ? 0
               : library < 30      ? 1
               : library < 300     ? 2
                                   : 3);
  const double ln2 = std::log(2.0);
  step.table("first gap whose weight is exactly 0", {"gap", "w = 2^-"})
      .digits({3, 1})
      .row("softmax, float32", {library, library / ln2}, "our softmax stops at 2^-126")
      .row("std::exp, float32", {plain, plain / ln2}, "rounds to 0 below half of 2^-149")
      .row("softmax, float64", {library64, library64 / ln2}, "it stops at 2^-1022")
      .row("std::exp, float64", {plain64, plain64 / ln2});
  const double mask32 = softmax(from_vector({0, hidden}, {2}), -1).at({1});
  step.number("weight of a masked key", mask32, "score -inf: exactly 0, at any gap");
  auto table = step.table("64 x 64 random scores", {"share of weights that are 0"});
  std::vector<double> zeros;
  for (const double deviation : {1.0, 3.0, 10.0, 30.0, 100.0}) {
    std::vector<double> shares;
    for (std::int64_t seed = 0; seed < step.whole("seeds"); ++seed) {
      Generator gen = step.generator(fmt::format("scores {}", seed));
      const Tensor w = softmax(normal({64, 64}, gen) * deviation, -1);
      shares.push_back(share_between(to(w, kF64), -1, 0));
    }
    zeros.push_back(course::spread_of(shares).mean);
    table.digits(3).row(fmt::format("std {}", deviation), {zeros.back()},
                        deviation == 1 ? "scaled scores: none" : "");
  }
  std::vector<double> gaps, logs;
  for (double gap = 0; gap < library && gap <= 120; gap += 2) {
    const double w = share(gap, DType::kFloat32);
    if (w == 0) break;
    gaps.push_back(gap);
    logs.push_back(std::log10(w));
  }
  if (gaps.size() > 1) {
    step.curves("log10 of the weight; it ends where float32 says 0", "gap in score, nats")
        .series("weight", gaps, logs);
  }
  const bool within = library > normal_edge - 0.01 && library < edge + 0.01;
  step.claim("B33", Evidence::kTensor, /*cases=*/2)
      .as_stated(std::isinf(library))
      .right(within && std::abs(plain - edge) < 0.01 && mask32 == 0 && zeros[0] == 0)
      .value(library)
      .expected(fmt::format("std::exp: 0 from {:.3f} on; a kernel: from {:.3f} at the earliest",
                            edge, normal_edge))
      .tolerance("0.01: rounding of the gap and of exp")
      .found(fmt::format("first exact 0 at {:.3f}, std::exp {:.3f}", library, plain));
  step.why(
      "The formula never gives 0, a number of 32 bits does. At scaled scores no gap is that large; "
      "who wants a 0 for sure masks the key.");
  step.try_next({"./gradwalk run 5 --claim=B33 --break=hard-mask"});
}

}  // namespace gradwalk::lessons
