// Lesson 2: where q, k and v come from.
//
// Claims   B5, B6, B8, B24, B35: article 003, sections 2.1, 3.1 and 4.1, on the maps that make
//          queries, keys and values, and on cutting them into heads
// Builds   on lesson 1 (the four lines, and the model that learns to look up)
// Run      ./gradwalk run 2 --step
//
// Weights are [out, in] and y = x W^T. heads.h has the measures.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "autograd/layout.h"
#include "autograd/linear.h"
#include "lessons/02_projections/heads.h"
#include "lessons/course/measure.h"
#include "lessons/course/module_weight.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kWidth = 768, kHeads = 12, kHeadDim = 64, kTokens = 16;

const std::vector<std::string> kSix = {"0", "1", "2", "3", "4", "5"};

nn::MultiHeadAttentionOptions plain(std::int64_t num_heads) {
  return {.num_heads = num_heads,
          .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}};
}

/// A layer as large models have it, and 16 tokens for it.
struct Large {
  nn::MultiHeadAttention layer;
  Tensor x;  ///< [16, 768]
};

Large large(Step& step) {
  Generator gen = step.generator("large tokens");
  return {.layer = {kWidth, nn::Seed(step.seed()) / "projections/large", plain(kHeads)},
          .x = normal({kTokens, kWidth}, gen)};
}

void shapes(Step& step) {
  const bool interleaved = step.broken("interleaved-rows");
  const Large l = large(step);
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  l.layer(unsqueeze(l.x, 0), {.trace = &trace});
  step.formula("q_t = W_Q x_t   k_t = W_K x_t   v_t = W_V x_t      x[16,768] -> q, k, v [16,768]");
  step.formula(
      "head h: q_t = W_Q[64h : 64h+64, :] x_t      W_Q[12*64, 768], a head's part [64,768]");
  auto table = step.table("shapes", {"rows", "columns", "numbers"});
  std::int64_t compared = 0;
  double worst = 0;
  bool shapes_fit = true;
  const std::vector<std::pair<std::string, Tensor>> sides = {
      {"q_proj.weight", trace.query.value()},
      {"k_proj.weight", trace.key.value()},
      {"v_proj.weight", trace.value.value()}};
  for (const auto& [name, by_layer] : sides) {
    const Tensor weight = course::weight_of(l.layer, name);
    const Shape& shape = weight.shape();
    shapes_fit = shapes_fit && shape == Shape{kHeads * kHeadDim, kWidth};
    table.row(fmt::format("W_{}", static_cast<char>(std::toupper(name[0]))),
              {static_cast<double>(shape[0]), static_cast<double>(shape[1]),
               static_cast<double>(weight.numel())},
              name[0] == 'q' ? "all heads: 12 * 64 rows" : "");
    for (std::int64_t head = 0; head < kHeads; ++head) {
      const Tensor rows = head_rows(weight, head, kHeads, interleaved);
      shapes_fit = shapes_fit && rows.shape() == Shape{kHeadDim, kWidth};
      const Tensor alone = linear(l.x, rows);
      worst = std::max(worst, course::distance(alone, select(select(by_layer, 0, 0), 0, head)));
      compared += alone.numel();
    }
  }
  table.row("one head's part", {kHeadDim, kWidth, kHeadDim * kWidth}, "in to out: 768 to 64");
  step.number("head by head, off the layer", worst,
              fmt::format("{} numbers; same products, same order", compared));
  const bool fits = shapes_fit && worst == 0;
  step.claim("B6", Evidence::kTensor, /*cases=*/compared)
      .as_stated(fits)
      .right(fits)
      .value(worst)
      .expected("a head's map is [64, 768]; heads one by one: equal")
      .tolerance("exact")
      .found(fmt::format("off by {:.2g}", worst));
  step.why(
      "One wide matrix is twelve narrow ones on top of each other: a head is a block of rows, "
      "and that is all a head is.");
  step.try_next({"./gradwalk run 2 --claim=B6 --break=interleaved-rows"});
}

void each_token_alone(Step& step) {
  const bool second = step.broken("second-layer");
  const std::int64_t seeds = step.whole("seeds");
  constexpr std::int64_t tokens = 6, width = 16;
  double off = 0, on = 1e9, out = 1e9, moved = 0;
  std::vector<Tensor> shown;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const nn::Seed of(step.seed());
    const nn::MultiHeadAttention before(width, of / fmt::format("projections/below {}", seed),
                                        plain(1));
    const nn::MultiHeadAttention layer(width, of / fmt::format("projections/layer {}", seed),
                                       plain(1));
    Generator gen = step.generator(fmt::format("tokens {}", seed));
    const Tensor x = normal({tokens, width}, gen);
    const auto input = [&](const Variable& tokens_in) {
      const Variable batch = unsqueeze(tokens_in, 0);
      return second ? before(batch) : batch;
    };
    const auto projection = [&](Variable nn::AttentionTrace::*side) {
      return [&, side](const Variable& in) {
        nn::AttentionTrace trace;
        layer(input(in), {.trace = &trace});
        return squeeze(squeeze(trace.*side, 0), 0);  // [6, 16], one head
      };
    };
    const auto attention = [&](const Variable& in) { return squeeze(layer(input(in)), 0); };
    const Tensor order = from_vector({3, 0, 5, 1, 4, 2}, {tokens}, DType::kInt64);
    for (const auto side :
         {&nn::AttentionTrace::query, &nn::AttentionTrace::key, &nn::AttentionTrace::value}) {
      const Tensor norms = block_norms(projection(side), x);
      const Blocks blocks = blocks_of(norms);
      off = std::max(off, blocks.largest_off);
      on = std::min(on, blocks.smallest_on);
      if (seed == 0 && side == &nn::AttentionTrace::query) shown.push_back(norms);
      const NoGrad no_grad;
      const Tensor plain_order = projection(side)(x).value();
      moved = std::max(moved, course::distance(projection(side)(index_select(x, 0, order)).value(),
                                               index_select(plain_order, 0, order)));
    }
    const Tensor norms = block_norms(attention, x);
    out = std::min(out, blocks_of(norms).smallest);
    if (seed == 0) shown.push_back(norms);
  }
  step.formula(
      "block [i,j] = |d q_i / d x_j|, 16 x 16 numbers each; the same for k, v and the output");
  const auto of_seeds = fmt::format("6 tokens, {} seeds", seeds);
  step.predict("Token 3 is changed. Whose q changes?", {"q of token 3 alone", "every q"},
               off == 0 ? 0 : 1);
  step.number("q, k, v: largest i != j block", off, of_seeds + ": no token hears another");
  step.number("q, k, v: smallest i = j block", on, "each hears itself", 3);
  step.number("output: smallest block", out, "every token hears every other", 3);
  step.number("tokens reordered: off by", moved, "q, k, v change places, nothing else");
  step.tensor("J_q", shown[0])
      .axes("token of q", "token of x")
      .explain(Explain::given("norms of 96 backward passes, one a number of q"));
  step.tensor("J_out", shown[1])
      .axes("token of output", "token of x")
      .explain(Explain::given("norms of 96 backward passes, one a number of the output"));
  step.heatmap("who depends on whom", {"J_q", "J_out"});
  const bool alone = off == 0 && on > 0 && out > 0;
  step.claim("B5", Evidence::kTensor, /*cases=*/144 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(alone)
      .right(alone && moved < 1e-5)
      .value(off)
      .expected("i != j: q, k, v exactly 0, output > 0")
      .tolerance("exact; 1e-5 for the new order, sums of 16 products in float32")
      .found(fmt::format("off the diagonal {:.2g}, output at least {:.2g}", off, out));
  step.why(
      "The three maps are applied to one token at a time. Mixing is left to the weights, "
      "and in the next layer x is already mixed.");
  step.try_next({"./gradwalk run 2 --claim=B5 --break=second-layer",
                 "./gradwalk run 2 --claim=B5 --seeds=3"});
}

void heads(Step& step) {
  const Large l = large(step);
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  l.layer(unsqueeze(l.x, 0), {.trace = &trace});
  const auto head_of = [](const Variable& all, std::int64_t head) {
    return select(select(all.value(), 0, 0), 0, head);  // [16, 64]
  };
  double worst = 0;
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const std::int64_t looks = step.broken("shared-weights") ? 0 : head;
    const Tensor scores = matmul(head_of(trace.query, looks), transpose(head_of(trace.key, looks)));
    const Tensor w = softmax(scores / std::sqrt(static_cast<double>(kHeadDim)), /*axis=*/-1);
    const Tensor out = matmul(w, head_of(trace.value, head));
    worst = std::max(worst, course::distance(out, head_of(trace.head_outputs, head)));
  }
  // Whose output moves when W_Q of one head changes its sign?
  std::vector<double> moves;
  double others = 0, own = std::numeric_limits<double>::infinity();
  for (std::int64_t touched = 0; touched < kHeads; ++touched) {
    nn::AttentionTrace after;
    negate_head(l.layer, "q_proj.weight", touched, kHeads);
    l.layer(unsqueeze(l.x, 0), {.trace = &after});
    negate_head(l.layer, "q_proj.weight", touched, kHeads);
    for (std::int64_t head = 0; head < kHeads; ++head) {
      moves.push_back(
          course::distance(head_of(after.head_outputs, head), head_of(trace.head_outputs, head)));
      if (head == touched) {
        own = std::min(own, moves.back());
      } else {
        others = std::max(others, moves.back());
      }
    }
  }
  step.formula("768 / 12 = 64      Q, K, V [16,768] -> 12 heads of [16,64]");
  step.formula("head h: softmax(Q_h K_h^T / 8) V_h, put side by side: [16, 12*64] = [16,768]");
  step.number("heads in a loop, off the layer", worst, "12 * 16 * 64 numbers, all heads at once");
  step.number("negated head moves by", own, "its W_Q is negated; least of twelve", 3);
  step.number("any other head moves by", others, "exactly 0: they share nothing");
  step.tensor("moved", from_vector(moves, {kHeads, kHeads}))
      .axes("head whose W_Q is negated", "head whose output moves")
      .explain(Explain::given("largest change of a head's output, two runs of the layer each"));
  step.heatmap("change one head (row): which outputs move (column)?", {"moved"});
  const bool same =
      worst == 0 && kWidth / kHeads == kHeadDim && l.layer.options().head_dim == kHeadDim;
  step.claim("B24", Evidence::kTensor, /*cases=*/kTokens * kWidth)
      .as_stated(same)
      .right(same && others == 0 && own > 0)
      .value(worst)
      .expected("64 a head; loop equals layer; others untouched")
      .tolerance("exact")
      .found(fmt::format("loop off by {:.2g}, others by {:.2g}", worst, others));
  step.why(
      "A head sees its own 64 numbers of q, k and v and no others, so twelve of them can be "
      "computed in any order, or at once.");
  step.try_next({"./gradwalk run 2 --claim=B24 --break=shared-weights"});
}

void count(Step& step) {
  const bool fixed = step.broken("fixed-head-width");
  const std::vector<std::int64_t> counts = {1, 2, 4, 8, 12, 24, 48};
  step.formula("W_Q, W_K, W_V, W_O together: 4 d (h d_k)      with h d_k = d: 4 d^2, whatever h");
  step.formula("products for n tokens: 4 n d^2 + 2 n^2 (h d_k)      maps: h n^2 weights");
  auto table = step.table("d = 768, n = 1024", {"width", "parameters", "products/1e6", "maps/1e6"});
  std::vector<double> parameters;
  for (const std::int64_t h : counts) {
    nn::MultiHeadAttentionOptions options = plain(h);
    options.linear.init = {nn::InitScheme::kZeros, 0};  // they are only counted
    if (fixed) options.head_dim = kHeadDim;
    const nn::MultiHeadAttention layer(kWidth, nn::Seed(step.seed()), options);
    const double n = 1024, d = kWidth;
    const double inner = static_cast<double>(h * layer.options().head_dim);
    parameters.push_back(static_cast<double>(layer.num_parameters()));
    table.digits(0).row(
        h == 1 ? "1 head" : fmt::format("{} heads", h),
        {static_cast<double>(layer.options().head_dim), parameters.back(),
         (4 * n * d * inner + 2 * n * n * inner) / 1e6, static_cast<double>(h) * n * n / 1e6},
        h == 1 ? "maps grow with h" : "");
  }
  const auto [low, high] = std::minmax_element(parameters.begin(), parameters.end());
  step.predict("Parameters of 48 heads, beside those of one?",
               {"48 times as many", "a few per cent more", "exactly as many"},
               *high == *low        ? 2
               : *high < 1.1 * *low ? 1
                                    : 0);
  step.number("parameters, most over fewest", *high / *low, "counted in the modules themselves", 2);
  step.claim("B35", Evidence::kCounted, /*cases=*/static_cast<std::int64_t>(counts.size()))
      .as_stated(*high <= 1.01 * *low)
      .right(*high == *low && *high == 4.0 * kWidth * kWidth)
      .value(*high / *low)
      .expected("4 * 768^2 = 2359296 for every h")
      .tolerance("exact; \"about the same\" is taken as within 1 %")
      .found(fmt::format("{:.0f} to {:.0f}", *low, *high));
  step.why(
      "Heads divide the width, they do not add to it: more heads are narrower heads. Only the "
      "maps get more, one a head.");
  step.try_next({"./gradwalk run 2 --claim=B35 --break=fixed-head-width",
                 "./gradwalk run 2 --claim=B35 --predict"});
}

void division(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const int updates = step.broken("no-training") ? 0 : static_cast<int>(step.whole("updates"));
  step.formula(
      "x = 4 [one-hot key (16) | one-hot value (16)] stays; W_Q, W_K, W_V, W_O, W_R learn");
  step.formula("s_j = q.(W_K x_j) = a_j + b_j: key half, value half      logits likewise");
  step.formula(
      "matching: Var(a) / (Var(a) + Var(b)) of 8 scores    content: value half of 16 logits");
  auto table = step.table("after training", {"matching", "content", "right"});
  const auto count = static_cast<double>(seeds);
  double matching = 1, content = 1, right = 1;
  Division start_mean{}, end_mean{};
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    course::DictionaryModel model(nn::Seed(step.seed()) / fmt::format("projections/model {}", seed),
                                  {});
    freeze_one_hot(model);
    Generator pages = step.generator(fmt::format("pages {}", seed));
    Generator tests = step.generator(fmt::format("test pages {}", seed));
    const course::DictionaryBatch test = draw_dictionary(512, model.options().sizes, tests);
    const Division start = division_of(model, test);
    train_dictionary(model, attention_and_readout(model),
                     {.steps = updates, .progress = step.training_progress(seed, seeds, updates)},
                     pages);
    const Division end = division_of(model, test);
    const double accuracy = dictionary_accuracy(model, /*batch=*/512, tests);
    table.digits(3).row(fmt::format("seed {}", seed), {end.matching, end.content, accuracy},
                        seed == 0 ? "right: share of 512 fresh pages" : "");
    matching = std::min(matching, end.matching);
    content = std::min(content, end.content);
    right = std::min(right, accuracy);
    start_mean.matching += start.matching / count;
    start_mean.content += start.content / count;
    end_mean.matching += end.matching / count;
    end_mean.content += end.content / count;
    if (seed > 0) continue;
    step.tensor("W_K", course::weight_of(model, "attention.k_proj.weight"))
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::given("trained"));
    const Tensor w_v = course::weight_of(model, "attention.v_proj.weight");
    const Tensor w_o = course::weight_of(model, "attention.o_proj.weight");
    step.tensor("W_V", w_v)
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::given("trained"));
    step.tensor("W_O", w_o).axes("out", "in").explain(Explain::given("trained"));
    step.tensor("W_OV", matmul(w_o, w_v))
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::contraction("om,mi->oi", {"W_O", "W_V"}));
  }
  step.number("smallest share of matching", matching, "the key half's, worst seed", 3);
  step.number("smallest share of content", content, "the value half's, worst seed", 3);
  auto bars = step.bars("share of the variance, mean of the seeds", {"before", "after"});
  bars.digits(2)
      .group("matching: key half", {start_mean.matching, end_mean.matching})
      .group("matching: value half", {1 - start_mean.matching, 1 - end_mean.matching})
      .group("content: key half", {1 - start_mean.content, 1 - end_mean.content})
      .group("content: value half", {start_mean.content, end_mean.content});
  const bool divided = matching > 0.9 && content > 0.9;
  step.claim("B8", Evidence::kTensor, /*cases=*/1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(divided)
      .right(divided && right > 0.99)
      .value(std::min(matching, content))
      .expected("both shares > 0.9 in every seed")
      .tolerance("the bound is the claim's; all seeds must pass it")
      .found(
          fmt::format("matching {:.3f}, content {:.3f}, right {:.3f}", matching, content, right));
  step.why(
      "Before training both halves do both jobs; nobody assigned them. Descent on the loss "
      "makes keys match and values speak.");
  step.try_next({"./gradwalk run 2 --claim=B8 --sweep=updates=0:400:+100",
                 "./gradwalk run 2 --claim=B8 --break=no-training"});
}

}  // namespace

course::Lesson lesson_02_projections() {
  course::Lesson lesson(2, "projections", "Where q, k and v come from");
  lesson.seeds(/*full=*/5, /*quick=*/2);
  lesson.parameter({.name = "updates",
                    .value = 800,
                    .quick = 400,
                    .min = 0,
                    .max = 5000,
                    .whole = true,
                    .what = "of the last step's training, batches of 32 pages"});
  lesson.sabotage("interleaved-rows", "a head gets every 12th row in place of a block of 64");
  lesson.sabotage("second-layer", "x has been through an attention layer before");
  lesson.sabotage("shared-weights", "the loop gives every head the attention weights of head 0");
  lesson.sabotage("fixed-head-width", "each head is 64 wide, however many there are");
  lesson.sabotage("no-training", "the last step's model is not trained");

  lesson.steps_stand_alone();
  lesson.step("Three maps and their shapes", shapes, {"B6"});
  lesson.step("Each token by itself", each_token_alone, {"B5"});
  lesson.step("Twelve heads of 64", heads, {"B24"});
  lesson.step("What heads cost", count, {"B35"});
  lesson.step("Who matches and who speaks: learned, not given", division, {"B8"});
  return lesson;
}

}  // namespace gradwalk::lessons
