#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "autograd/variable.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/attention.h"
#include "nn/module.h"
#include "nn/seed.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reference/attention.h"
#include "tensor/reference/linear.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

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
  step.picture(course::Heatmap("weights of head 0: 16 tokens, random weights", {"W0"}));
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

}  // namespace gradwalk::lesson_01
