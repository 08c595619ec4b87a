// Lesson 2: where q, k and v come from.
//
// Claims   B5, B6, B8, B24, B35: article 003, sections 2.1, 3.1 and 4.1, on the maps that make
//          queries, keys and values, and on cutting them into heads
// Builds   on lesson 1 (the four lines, and the model that learns to look up)
// Run      ./gradwalk run 2 --step
//
// Weights are [out, in] and y = x W^T. heads.h has the measures; steps.h says where two of the
// steps stand.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "lessons/02_projections/heads.h"
#include "lessons/02_projections/steps.h"
#include "lessons/course/measure.h"
#include "lessons/course/module_weight.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kWidth = 768, kHeads = 12, kHeadDim = 64, kTokens = 16;

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
