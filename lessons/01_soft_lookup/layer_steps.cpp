#include "lessons/01_soft_lookup/layer_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/course/dictionary.h"
#include "lessons/course/measure.h"
#include "lessons/course/training.h"
#include "nn/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/attention.h"
#include "tensor/reference/linear.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

void rows_and_columns(Step& step) {
  const bool flat = step.broken("flat-scores");
  const TokenScores six = token_scores(6, 4, step.generator("six tokens"), flat);
  const Tensor& small = six.scores;
  const Tensor small_weights = softmax(small, /*axis=*/-1);
  const std::vector<std::string> tokens = {"0", "1", "2", "3", "4", "5"};
  step.formula("S = Q K^T / sqrt(d_k)      W = softmax of each row of S      Q, K [64,32]");
  step.formula("why sqrt(d_k): lesson 5");
  step.table("six tokens with d_k = 4, to look at", tokens)
      .digits(3)
      .row("row sums of S", sum(small, 1), "any number")
      .row("row sums of W", sum(small_weights, 1), "1: each token shares out one look")
      .row("column sums of W", sum(small_weights, 0), "how much a token is looked at");
  step.tensor("Q", six.q).axes("token", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("K", six.k).axes("token", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("S", small)
      .axes("query", "key")
      .explain(flat ? Explain::given("all scores alike: the break")
                    : Explain::contraction("ic,jc->ij", {"Q", "K"}, 0.5));
  step.tensor("W", small_weights).axes("query", "key").explain(Explain::softmax("S"));
  step.heatmap("row: who looks, column: who is looked at", {"S", "W"});
  const std::int64_t seeds = step.whole("seeds");
  const Margins sums = margins_over_seeds(step, seeds, flat);
  step.predict("Rows of W sum to 1. Do its columns?", {"yes", "no"},
               sums.column_off.highest < 1e-6 ? 0 : 1);
  step.number("lowest column sum of W", sums.lowest_column,
              fmt::format("64 tokens, {} seeds: looked at least", seeds));
  step.number("highest column sum of W", sums.highest_column, "looked at most");
  step.number("row sums of W, off 1", sums.row_off, "rounding");
  step.number("mean column sum, off 1", sums.column_mean_off, "64 looks over 64 tokens");
  const bool rows = sums.row_off < 64 * kEpsilon;
  step.claim("B22", Evidence::kTensor, /*cases=*/128 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(rows && sums.column_off.highest < 64 * kEpsilon)
      .right(rows && sums.column_mean_off < 64 * kEpsilon && sums.raw_row_off > 0.1 &&
             sums.column_off.lowest > 0.1)
      .value(sums.column_off.mean)
      .expected("rows sum to 1; some column is > 0.1 off")
      .tolerance("64 roundings of 1: 1.4e-14; in every seed")
      .found(fmt::format("rows off {:.1g}, columns {:.2f} to {:.2f}", sums.row_off,
                         sums.lowest_column, sums.highest_column));
  step.why(
      "Softmax goes along a row: each token has one look to share out. How much a token is looked "
      "at is up to the others.");
  step.try_next({"./gradwalk run 1 --claim=B22 --break=flat-scores"});
}

void four_lines(Step& step) {
  constexpr std::int64_t kTokens = 16, kWidth = 768, kHeads = 12, kHeadDim = 64;
  const NoGrad no_grad;
  const nn::MultiHeadAttention layer(kWidth, nn::Seed(step.seed()) / "soft_lookup/layer",
                                     {.num_heads = kHeads});
  Generator gen = step.generator("tokens");
  const Tensor x = normal({1, kTokens, kWidth}, gen);
  nn::AttentionTrace trace;
  const Tensor opened = layer(x, {.trace = &trace}).value();
  const Tensor fused = layer(x).value();
  const Tensor q = trace.query.value(), k = trace.key.value(), v = trace.value.value();
  // The four lines, for all heads at once.
  Tensor scores = matmul(q, transpose(k));
  if (!step.broken("no-scale")) scores = scores / std::sqrt(static_cast<double>(kHeadDim));
  const Tensor weights = softmax(scores, /*axis=*/-1);
  const Tensor output = matmul(weights, v);
  // The same from x, by naive float64 loops that share nothing with the library.
  const nn::StateDict state = layer.state_dict();  // q_proj, k_proj, v_proj, o_proj
  const auto cut = [&](std::size_t weight) {
    const Tensor all = reference::linear(x, state[weight].second, {});
    return permute(reshape(all, {1, kTokens, kHeads, kHeadDim}), {0, 2, 1, 3});
  };
  const Tensor loop_weights = reference::attention_weights(cut(0), cut(1), {});
  const Tensor loop_output = reference::attention(cut(0), cut(1), cut(2), {});
  const Tensor side_by_side = reshape(permute(loop_output, {0, 2, 1, 3}), {1, kTokens, kWidth});
  const Tensor loop_layer = reference::linear(side_by_side, state[3].second, {});
  const double weights_off = course::relative_distance(weights, loop_weights);
  const double output_off = course::relative_distance(output, loop_output);
  const double layer_off = course::relative_distance(fused, loop_layer);
  step.formula("scores  = Q K^T          Q[12,16,64] K[12,16,64] -> [12,16,16]");
  step.formula("scores  = scores / sqrt(64)         12 heads, 16 tokens, f32");
  step.formula("weights = softmax(scores)           each row sums to 1");
  step.formula("output  = weights V      V[12,16,64] -> [12,16,64]");
  step.table("largest difference, as a share of the largest number", {"weights", "output", "layer"})
      .row("four lines - naive loops", {weights_off, output_off, layer_off}, "layer: x to y, fused")
      .row("four lines - library's own",
           {course::relative_distance(weights, trace.weights.value()),
            course::relative_distance(output, trace.head_outputs.value()),
            course::relative_distance(opened, fused)},
           "layer: opened up - fused");
  step.number("layer's parameters", static_cast<double>(layer.num_parameters()),
              "W_Q, W_K, W_V, W_O: 4 x 768^2, outside the four lines", 0);
  const Tensor q0 = select(select(q, 0, 0), 0, 0), k0 = select(select(k, 0, 0), 0, 0);
  step.tensor("Q0", q0)
      .axes("token", "component")
      .explain(Explain::given("head 0 of x W_Q^T, from the layer"));
  step.tensor("K0", k0)
      .axes("token", "component")
      .explain(Explain::given("head 0 of x W_K^T, from the layer"));
  step.tensor("V0", select(select(v, 0, 0), 0, 0))
      .axes("token", "component")
      .explain(Explain::given("head 0 of x W_V^T, from the layer"));
  step.tensor("S0", select(select(scores, 0, 0), 0, 0))
      .axes("query", "key")
      .explain(
          Explain::contraction("ic,jc->ij", {"Q0", "K0"}, step.broken("no-scale") ? 1 : 0.125));
  step.tensor("W0", select(select(weights, 0, 0), 0, 0))
      .axes("query", "key")
      .explain(Explain::softmax("S0"));
  step.tensor("O0", select(select(output, 0, 0), 0, 0))
      .axes("query", "component")
      .explain(Explain::contraction("ij,jc->ic", {"W0", "V0"}));
  step.heatmap("weights of head 0: 16 tokens, random weights", {"W0"});
  const bool same = weights_off < 1e-4 && output_off < 1e-4;
  step.claim("B23", Evidence::kTensor, /*cases=*/weights.numel() + output.numel())
      .as_stated(same)
      .right(same && layer_off < 1e-4)
      .value(output_off)
      .expected("< 1e-4 off the naive loops")
      .tolerance("1e-4: float32 sums of 768 products, then of 64, and exponentials of them")
      .found(fmt::format("weights {:.1g}, output {:.1g} off", weights_off, output_off));
  step.why(
      "The four lines are the whole of attention. Left out are the four projections, the mask "
      "and the heads' way side by side.");
  step.try_next({"./gradwalk run 1 --claim=B23 --break=no-scale"});
}

void learned(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const int updates = static_cast<int>(step.whole("updates"));
  const std::vector<std::string> places = {"card 0", "card 1", "card 2", "card 3",  "card 4",
                                           "card 5", "card 6", "card 7", "question"};
  step.formula("x_j = key_j + value_j      x_8 = key asked for + question mark      x[9,32]");
  step.formula("logits = W_R attention(x)_8      one score for each of 16 values; one head of 32");
  step.formula("loss = -ln softmax(logits)[right value], in nats, mean of 32 pages");
  auto table =
      step.table("after training on fresh pages", {"right", "updates to 0.7 nats", "last loss"});
  auto curves = step.curves("loss in nats, mean of 20 updates", "update");
  double fewest_right = 1;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const nn::Seed model_seed = nn::Seed(step.seed()) / fmt::format("soft_lookup/model {}", seed);
    const course::DictionaryModel model(model_seed, {});
    Generator pages = step.generator(fmt::format("pages {}", seed));
    const std::vector<double> losses = train_dictionary(
        model, model.parameters(),
        {.steps = updates, .progress = step.training_progress(seed, seeds, updates)}, pages);
    const double right = dictionary_accuracy(model, /*batch=*/512, pages);
    fewest_right = std::min(fewest_right, right);
    table.digits({3, 0, 3}).row(
        fmt::format("seed {}", seed),
        {right, static_cast<double>(course::steps_below(losses, 0.7)), losses.back()},
        seed == 0 ? "at first: 1 in 16, ln 16 = 2.77" : "");
    if (seed > 0) continue;
    curves.series("seed 0", course::moving_mean(losses));
    const NoGrad no_grad;
    nn::AttentionTrace trace;
    const course::DictionaryBatch page = draw_dictionary(1, model.options().sizes, pages);
    model(page, &trace);
    const auto last_row = [](const Variable& map) {
      return select(select(select(map.value(), 0, 0), 0, 0), 0, 8);
    };
    step.tensor("s", last_row(trace.masked_scores))
        .axes("place")
        .rows(places)
        .explain(Explain::given("scores of the question, from the trained layer"));
    step.tensor("w", last_row(trace.weights))
        .axes("place")
        .rows(places)
        .explain(Explain::softmax("s"));
    auto bars =
        step.bars(fmt::format("where the question looks; card {} has its key", page.places.at({0})),
                  {"weight"});
    for (std::int64_t at = 0; at < 9; ++at) {
      bars.group(places[std::size_t(at)], {last_row(trace.weights).at({at})});
    }
  }
  step.number("answered right, worst seed", fewest_right, "of 512 fresh pages", 3);
  step.check("every seed answers at least 99 % right", fewest_right > 0.99);
  step.why(
      "Nobody told the model to compare keys: descent on the loss alone makes the question "
      "look at the card that answers it.");
  step.try_next(
      {"./gradwalk run 1 --sweep=updates=50:400:x2", "./gradwalk run 1 --from=7 --seed=2"});
}

}  // namespace gradwalk::lessons
