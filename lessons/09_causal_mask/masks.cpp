#include "lessons/09_causal_mask/masks.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "lessons/course/engine/measure.h"
#include "nn/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/triangle.h"

namespace gradwalk::lesson_09 {
namespace {

constexpr std::int64_t kWords = 8, kWidth = 32, kHeads = 4;

struct TwoLayers {
  nn::AttentionTrace first, second;
};

TwoLayers run(const nn::MultiHeadAttention& below, const nn::MultiHeadAttention& above,
              const Tensor& x, const Tensor& mask) {
  const NoGrad no_grad;
  TwoLayers traces;
  const Variable input(x);
  const Variable h = input + below(input, {.additive_mask = mask, .trace = &traces.first});
  above(h, {.additive_mask = mask, .trace = &traces.second});
  return traces;
}

// The largest |d y_i / d x_j|, j > i, all entries.
double influence_of_future(const nn::MultiHeadAttention& layer, const Tensor& x,
                           const Tensor& mask) {
  double most = 0;
  for (std::int64_t word = 0; word + 1 < kWords; ++word) {
    for (std::int64_t entry = 0; entry < kWidth; ++entry) {
      const Variable leaf = parameter(x);
      const Variable y = layer(leaf, {.additive_mask = mask});
      Tensor dy = zeros(y.shape());
      dy.mutable_data<float>()[word * kWidth + entry] = 1;
      backward(y, dy);
      most = std::max(most, course::largest(slice(leaf.grad(), 1, word + 1, kWords)));
    }
  }
  return most;
}

}  // namespace

Tensor future_mask(std::int64_t n, double value, DType dtype) {
  return triu(full({n, n}, value, dtype), 1);
}

MaskEffect mask_effect(std::uint64_t seed, double value) {
  const nn::MultiHeadAttentionOptions options{
      .num_heads = kHeads, .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}};
  const nn::Seed own = nn::Seed(seed) / "causal_mask";
  const nn::MultiHeadAttention below(kWidth, own / "below", options);
  const nn::MultiHeadAttention above(kWidth, own / "above", options);
  Generator generator(seed, "causal_mask.words");
  const Tensor x = normal({1, kWords, kWidth}, generator);
  const Tensor mask = future_mask(kWords, value);
  const TwoLayers masked = run(below, above, x, mask), open = run(below, above, x, {});

  const Tensor w = masked.first.weights.value(), u = open.first.weights.value();
  const Tensor past = tril(u);
  const auto moved = [&](Variable nn::AttentionTrace::*side) {
    return course::distance((masked.first.*side).value(), (open.first.*side).value());
  };
  MaskEffect effect;
  effect.hidden = course::largest(triu(w, 1));
  effect.future = mean(sum(triu(u, 1), -1)).item();
  effect.projections = std::max({moved(&nn::AttentionTrace::query), moved(&nn::AttentionTrace::key),
                                 moved(&nn::AttentionTrace::value)});
  effect.renormalised = course::distance(w, past / sum(past, -1, /*keepdims=*/true));
  effect.influence = influence_of_future(below, x, mask);
  effect.second_layer =
      course::relative_distance(masked.second.key.value(), open.second.key.value());
  return effect;
}

Tensor weights_masked_before(const Tensor& query, const Tensor& key, double value) {
  const Tensor scores = matmul(query, transpose(key));
  const Tensor mask = future_mask(scores.shape()[0], value, scores.dtype());
  return softmax((scores + mask) / std::sqrt(static_cast<double>(query.shape()[1])), -1);
}

Tensor weights_masked_after(const Tensor& query, const Tensor& key, double value) {
  const Tensor scores = matmul(query, transpose(key));
  const Tensor mask = future_mask(scores.shape()[0], value, scores.dtype());
  return softmax(scores / std::sqrt(static_cast<double>(query.shape()[1])) + mask, -1);
}

double leaked(const Tensor& weights) { return mean(sum(triu(weights, 1), -1)).item(); }

std::int64_t MapTraffic::of_map(const Tensor& x) const {
  return x.ndim() >= 2 && x.shape()[-1] == n_ && x.shape()[-2] == n_ ? x.numel() : 0;
}

void MapTraffic::on_forward(const ForwardStep& step) {
  if (std::string_view(step.op) == "reshape") return;  // a view: nothing moves
  for (const Variable& input : step.inputs) numbers_ += of_map(input.value());
  numbers_ += of_map(step.output.value());
}

}  // namespace gradwalk::lesson_09
