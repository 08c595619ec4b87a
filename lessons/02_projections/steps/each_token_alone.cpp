#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/layout.h"
#include "autograd/variable.h"
#include "lessons/02_projections/heads.h"
#include "lessons/02_projections/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/gather.h"
#include "tensor/random.h"

namespace gradwalk::lesson_02 {
namespace {

using course::Evidence;
using course::Explain;

}  // namespace

void each_token_alone(course::Step& step) {
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
  step.picture(course::Heatmap("who depends on whom", {"J_q", "J_out"}));
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

}  // namespace gradwalk::lesson_02
