#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "autograd/variable.h"
#include "lessons/05_scaling/scores.h"
#include "lessons/05_scaling/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/memo.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/attention.h"
#include "nn/diagnostics/entropy.h"
#include "nn/init.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_05 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kWidth = 768, kTokens = 128;

struct Scaled {
  double variance;  // of all scaled scores
  double entropy;   // mean over queries and heads, nats
  Tensor weights;   // [128, 128] of head 0
};

// What a layer's own scores are like before any training; W_Q and W_K keep variance 1.
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
  step.picture(course::Curves("log2 of Var(s)", "log2 of the number of heads"))
      .series("by sqrt(d_k)", x, by_head)
      .series("by sqrt(768)", x, by_model);
  const auto corner = [](const Tensor& w) { return slice(slice(w, 0, 0, 6), 1, 0, 6); };
  step.tensor("W_head", corner(narrow_head))
      .axes("query", "key")
      .explain(Explain::given("head 0 of 48: weights of 6 tokens on 6 of 128, by sqrt(d_k)"));
  step.tensor("W_model", corner(narrow_model))
      .axes("query", "key")
      .explain(Explain::given("the same head, by sqrt(768)"));
  step.picture(course::Heatmap(
      "one of 48 heads, 6 x 6 of 128 x 128 weights (alike: 0.0078); marks by own range",
      {"W_head", "W_model"}));
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

}  // namespace gradwalk::lesson_05
