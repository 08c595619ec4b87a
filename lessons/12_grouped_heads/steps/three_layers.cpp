#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/by_width.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Explain;
using course::Explanation;
using course::Index;
using course::Operands;
using course::Step;

constexpr std::int64_t kSmallHeads = 4, kSmallWidth = 8, kSmallHeadDim = 2;

// Query head h meets the keys of head h G / H, rounded down.
Explain keys_of_group(const std::string& keys, std::int64_t kv_heads) {
  return Explain::custom([keys, kv_heads](const Index& at, const Operands& of) {
    Index from = at;
    from[0] = at[0] * kv_heads / kSmallHeads;
    Explanation copy;
    copy.formula = course::element_text(keys, from);
    copy.value = of(keys, from);
    copy.lines = {
        fmt::format("kv head {} = floor({} * {} / {})", from[0], at[0], kv_heads, kSmallHeads)};
    copy.next = {copy.formula};
    return copy;
  });
}

// The weight matrix of one projection by heads, [heads, Dh, D].
Tensor weight_by_heads(const nn::MultiHeadAttention& layer, const std::string& projection) {
  for (const auto& [name, weight] : layer.state_dict()) {
    if (name == projection + ".weight") return reshape(weight, {-1, kSmallHeadDim, kSmallWidth});
  }
  return {};
}

}  // namespace

void three_layers(Step& step) {
  const std::vector<std::string> words = {"why", "a", "shy", "fox", "hears"};
  Generator gen = step.generator("five words");
  const Tensor x = normal({5, kSmallWidth}, gen);
  step.formula("a query head asks with q = W_Q x of the last word");
  step.formula("words are found by k = W_K x and hand over v = W_V x");
  step.formula("H query heads, G kv heads: so many sets of keys and values");
  step.formula("query head h meets kv head floor(h G / H)");
  step.formula("MHA, multi-head: G = H, each query head has its own");
  step.formula("GQA, grouped-query: a group of query heads shares one kv head");
  step.formula("MQA, multi-query: G = 1, all share it");
  step.formula("s[h,t] = q[h].k[t] / sqrt(2), w[h] = softmax(s[h]) over the words");
  step.formula("here H = 4; x has 8 numbers, q, k and v of a head have 2");
  step.tensor("x", x).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  auto kept = step.table("numbers for one word", {"q", "k", "v", "k and v, kept"});
  double furthest = 0;
  std::vector<double> same_look;  // of the query heads in MQA, to the first
  for (const std::int64_t kv_heads : {4, 2, 1}) {
    const nn::MultiHeadAttention layer(kSmallWidth,
                                       nn::Seed(step.seed()) / "grouped_heads/five words",
                                       {.num_heads = kSmallHeads,
                                        .num_kv_heads = kv_heads,
                                        .causal = true,
                                        .linear = {.bias = false, .init = tasks::kByWidth}});
    const NoGrad no_grad;
    nn::AttentionTrace trace;
    const Tensor y = layer(Variable(unsqueeze(x, 0)), {.trace = &trace}).value();
    const auto copies = with_copies(layer, kSmallWidth);
    furthest =
        std::max(furthest, course::distance((*copies)(Variable(unsqueeze(x, 0))).value(), y));
    const auto of_last = [](const Variable& all) {
      return select(select(all.value(), 0, 0), 1, 4);  // [H, ...], of "hears"
    };
    const Tensor query = of_last(trace.query), key = select(trace.key.value(), 0, 0);
    const auto numbers = static_cast<double>(key.numel()) / 5;
    kept.digits(0).row(variant_name(kSmallHeads, kv_heads),
                       {static_cast<double>(query.numel()), numbers, numbers, 2 * numbers});
    const auto name = [&](const char* letter) { return fmt::format("{}_{}", letter, kv_heads); };
    if (kv_heads == kSmallHeads) {
      step.tensor("W_Q", weight_by_heads(layer, "q_proj"))
          .axes("head", "out", "in")
          .explain(Explain::given("N(0, 1/8), the same in all three"));
      step.tensor("q", query)
          .axes("head", "component")
          .explain(Explain::contraction("hij,j->hi", {"W_Q", "x[4]"}));
    }
    step.tensor(name("W_K"), weight_by_heads(layer, "k_proj"))
        .axes("kv head", "out", "in")
        .explain(Explain::given("N(0, 1/8)"));
    step.tensor(name("k"), key)
        .axes("kv head", "word", "component")
        .explain(Explain::contraction("gij,tj->gti", {name("W_K"), "x"}));
    std::vector<Tensor> met;
    for (std::int64_t head = 0; head < kSmallHeads; ++head) {
      met.push_back(select(key, 0, head * kv_heads / kSmallHeads));
    }
    step.tensor(name("met"), stack(met, 0))
        .axes("head", "word", "component")
        .explain(keys_of_group(name("k"), kv_heads));
    step.tensor(name("s"), of_last(trace.scaled_scores))
        .axes("head", "word")
        .columns(words)
        .explain(Explain::contraction("hi,hti->ht", {"q", name("met")}, 1 / std::sqrt(2.0)));
    const Tensor weights = of_last(trace.weights);
    step.tensor(name("w"), weights)
        .axes("head", "word")
        .columns(words)
        .explain(Explain::softmax(name("s")));
    if (kv_heads > 1) continue;
    for (std::int64_t head = 1; head < kSmallHeads; ++head) {
      same_look.push_back(course::distance(select(weights, 0, head), select(weights, 0, 0)));
    }
  }
  const double least = *std::min_element(same_look.begin(), same_look.end());
  step.predict("MQA: four query heads share one key a word. Do they look at the same words?",
               {"yes: what they look at is the same", "no: each asks in its own way"},
               least > 0.01 ? 1 : 0);
  step.picture(course::Heatmap("weights of the last word; row: query head; 4, 2 and 1 kv heads",
                               {"w_4", "w_2", "w_1"}));
  step.check("each is an MHA layer whose heads hold copies", furthest < 1e-6,
             fmt::format("outputs at most {:.0e} apart", furthest));
  step.why(
      "Sharing limits what can be found and handed over, not what is asked: query heads that meet "
      "the same keys still look elsewhere.");
  step.try_next({"./gradwalk run 12 --step", "./gradwalk help GQA"});
}

}  // namespace gradwalk::lesson_12
