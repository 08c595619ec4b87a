#include "nn/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/gather.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr std::int64_t kWidth = 12;

MultiHeadAttentionOptions options(std::int64_t num_heads, std::int64_t num_kv_heads) {
  MultiHeadAttentionOptions o;
  o.num_heads = num_heads;
  o.num_kv_heads = num_kv_heads;
  o.linear = {.bias = true, .init = {InitScheme::kNormal, 0.5}, .dtype = DType::kFloat64};
  return o;
}

Tensor random(const Shape& shape, std::uint64_t seed = 3) {
  Generator generator(seed, "attention");
  return normal(shape, generator, DType::kFloat64);
}

// Biases begin at 0, which would hide a missing one.
void randomise(const Module& module) {
  std::uint64_t seed = 20;
  for (const Variable& parameter : module.parameters()) {
    copy_into(parameter.value(), random(parameter.shape(), seed++) * 0.5);
  }
}

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> all;
  for (const NamedParameter& parameter : module.named_parameters()) {
    all.push_back(parameter.name + " " + parameter.variable.shape().str());
  }
  return all;
}

// One head, from nothing but matmul and softmax.
TEST(MultiHeadAttention, OneHeadIsTheFormula) {
  const MultiHeadAttention layer(kWidth, Seed(1), options(1, 1));
  randomise(layer);
  const std::vector<Variable> p = layer.parameters();
  const Variable x = random({1, 5, kWidth});
  const auto apply = [&](const Variable& in, std::size_t at) {
    return matmul(in, transpose(p[at])) + p[at + 1];
  };
  const Variable scores = matmul(apply(x, 0), transpose(apply(x, 2))) / std::sqrt(12.0);
  const Variable want = apply(matmul(softmax(scores, -1), apply(x, 4)), 6);
  EXPECT_EQ(test::difference(layer(x).value(), want.value(), 1e-12, 1e-13), "");
}

TEST(MultiHeadAttention, ParametersAsCheckpointsNameThem) {
  EXPECT_THAT(names(MultiHeadAttention(kWidth, Seed(1), options(6, 2))),
              ElementsAre("q_proj.weight [12, 12]", "q_proj.bias [12]", "k_proj.weight [4, 12]",
                          "k_proj.bias [4]", "v_proj.weight [4, 12]", "v_proj.bias [4]",
                          "o_proj.weight [12, 12]", "o_proj.bias [12]"));
  MultiHeadAttentionOptions bare = options(3, 3);
  bare.has_q_proj = bare.has_k_proj = bare.has_v_proj = bare.has_o_proj = false;
  EXPECT_TRUE(MultiHeadAttention(kWidth, Seed(1), bare).parameters().empty());
}

// The fused path and the one that opens every value are two codes for one thing.
TEST(MultiHeadAttention, TracedEqualsFusedForwardAndBackward) {
  Tensor padding = ones({2, 7}, DType::kBool);
  fill(slice(slice(padding, 0, 1, 2), 1, 0, 3), 0);
  for (const std::int64_t num_kv_heads : {6, 2, 1}) {
    for (const bool causal : {false, true}) {
      for (const bool rope : {false, true}) {
        MultiHeadAttentionOptions o = options(6, num_kv_heads);
        o.causal = causal;
        if (rope) o.rope = RopeOptions{};
        const MultiHeadAttention layer(kWidth, Seed(1), o);
        randomise(layer);
        const Tensor dy = random({2, 7, kWidth}, 9);
        const auto run = [&](AttentionTrace* trace) {
          AttentionContext context;
          context.key_padding_mask = padding;
          context.trace = trace;
          const Variable x = parameter(random({2, 7, kWidth}));
          const Variable y = layer(x, context);
          layer.zero_grad();
          backward(y, dy);
          std::vector<Tensor> results = {y.value(), x.grad()};
          for (const Variable& p : layer.parameters()) results.push_back(clone(p.grad()));
          return results;
        };
        AttentionTrace trace;
        const std::vector<Tensor> fused = run(nullptr);
        const std::vector<Tensor> traced = run(&trace);
        ASSERT_EQ(fused.size(), traced.size());
        for (std::size_t i = 0; i < fused.size(); ++i) {
          EXPECT_EQ(test::difference(fused[i], traced[i], 1e-10, 1e-12), "")
              << i << " with " << num_kv_heads << " kv heads";
        }
        EXPECT_EQ(trace.weights.shape(), Shape({2, 6, 7, 7}));
        EXPECT_EQ(trace.key.shape(), Shape({2, num_kv_heads, 7, 2}));
        EXPECT_EQ(trace.head_outputs.shape(), Shape({2, 6, 7, 2}));
        EXPECT_EQ(test::difference(trace.scaled_scores.value(),
                                   trace.scores.value() / std::sqrt(2.0), 1e-14),
                  "");
        EXPECT_EQ(select(trace.weights.value(), 0, 1).at({0, 6, 2}), 0);  // hidden by the mask
      }
    }
  }
}

// Each key and value head stands for num_heads / num_kv_heads heads of its own.
TEST(MultiHeadAttention, GroupedEqualsFullWithRepeatedHeads) {
  for (const std::int64_t num_kv_heads : {1, 2, 3}) {
    MultiHeadAttentionOptions o = options(6, num_kv_heads);
    o.causal = true;
    o.rope = RopeOptions{};
    const MultiHeadAttention grouped(kWidth, Seed(1), o);
    randomise(grouped);
    o.num_kv_heads = 6;
    MultiHeadAttention full(kWidth, Seed(2), o);
    StateDict state;
    for (const auto& [name, value] : grouped.state_dict()) {
      if (name[0] != 'k' && name[0] != 'v') {
        state.emplace_back(name, value);
        continue;
      }
      Tensor rows("rows", {kWidth}, DType::kInt64);  // row of each of the 12 of six heads
      for (std::int64_t i = 0; i < kWidth; ++i) {
        const std::int64_t head = i / 2 / (6 / num_kv_heads);
        rows.mutable_data<std::int64_t>()[i] = head * 2 + i % 2;
      }
      state.emplace_back(name, index_select(value, 0, rows));
    }
    full.load_state_dict(state);
    const Variable x = random({2, 5, kWidth});
    EXPECT_EQ(test::difference(grouped(x).value(), full(x).value(), 1e-12, 1e-13), "");
  }
}

// The same five positions in any pieces.
TEST(MultiHeadAttention, WithACacheInAnyPieces) {
  const Tensor x = random({2, 5, kWidth});
  for (const RopeLayout layout : {RopeLayout::kInterleaved, RopeLayout::kHalves}) {
    MultiHeadAttentionOptions o = options(6, 2);
    o.causal = true;
    o.rope = RopeOptions{.layout = layout};
    const MultiHeadAttention layer(kWidth, Seed(1), o);
    randomise(layer);
    const NoGrad guard;
    const Tensor whole = layer(x).value();
    for (const std::vector<std::int64_t>& pieces :
         {std::vector<std::int64_t>{1, 1, 1, 1, 1}, {5}, {2, 3}, {4, 1}, {1, 3, 1}}) {
      for (const bool traced : {false, true}) {
        KvCache cache({.batch = 2,
                       .num_kv_heads = 2,
                       .head_dim = 2,
                       .growth = CacheGrowth::kByOne,
                       .dtype = DType::kFloat64});
        AttentionTrace trace;
        AttentionContext context;
        context.cache = &cache;
        if (traced) context.trace = &trace;
        std::int64_t begin = 0;
        for (const std::int64_t count : pieces) {
          const Tensor part = layer(slice(x, 1, begin, begin + count), context).value();
          EXPECT_EQ(test::difference(part, slice(whole, 1, begin, begin + count), 1e-12, 1e-13),
                    "");
          begin += count;
        }
        EXPECT_EQ(cache.length(), 5);
      }
    }
  }
}

TEST(MultiHeadAttention, WithoutProjectionsTakesXItself) {
  MultiHeadAttentionOptions bare = options(3, 3);
  bare.has_q_proj = bare.has_k_proj = bare.has_v_proj = bare.has_o_proj = false;
  bare.scale = 0;  // all weights equal: the mean over the positions
  const MultiHeadAttention layer(kWidth, Seed(1), bare);
  const Tensor x = random({1, 4, kWidth});
  const Tensor want = expand(mean(x, 1, /*keepdims=*/true), {1, 4, kWidth});
  EXPECT_EQ(test::difference(layer(x).value(), want, 1e-12, 1e-14), "");
}

TEST(MultiHeadAttention, TiedQueriesAndKeysAreOneProjection) {
  MultiHeadAttentionOptions o = options(3, 3);
  o.tie_q_k = true;
  const MultiHeadAttention tied(kWidth, Seed(1), o);
  EXPECT_EQ(tied.parameters().size(), 6U);
  o.tie_q_k = false;
  const MultiHeadAttention free(kWidth, Seed(1), o);
  StateDict state = tied.state_dict();
  for (auto& [name, tensor] : free.state_dict()) {
    std::string from = name;
    if (name.starts_with("k_proj")) from[0] = 'q';
    for (const auto& [own, value] : state) {
      if (own == from) copy_into(tensor, value);
    }
  }
  const Variable x = random({2, 4, kWidth});
  EXPECT_EQ(free(x).value().to_vector(), tied(x).value().to_vector());
}

TEST(MultiHeadAttentionError, Texts) {
  const auto make = [](std::int64_t width, const MultiHeadAttentionOptions& o) {
    return [=] { MultiHeadAttention(width, Seed(1), o); };
  };
  EXPECT_THAT(make(12, options(6, 4)),
              ThrowsMessage<std::invalid_argument>(
                  "MultiHeadAttention: expected num_heads % num_kv_heads == 0, got 6 and 4"));
  EXPECT_THAT(make(13, options(6, 6)),
              ThrowsMessage<std::invalid_argument>(
                  "MultiHeadAttention: expected d_model % num_heads == 0, got 13 and 6"));
  MultiHeadAttentionOptions tied = options(4, 2);
  tied.tie_q_k = true;
  EXPECT_THAT(make(12, tied), ThrowsMessage<std::invalid_argument>(
                                  "MultiHeadAttention: expected num_heads == num_kv_heads where q "
                                  "and k are tied, got 4 and 2"));
  MultiHeadAttentionOptions odd = options(4, 4);
  odd.rope = RopeOptions{};
  EXPECT_THAT(make(12, odd), ThrowsMessage<std::invalid_argument>(
                                 "MultiHeadAttention: expected an even head_dim for rope, got 3"));
  MultiHeadAttentionOptions bare = options(6, 2);
  bare.has_v_proj = false;
  EXPECT_THAT(make(12, bare),
              ThrowsMessage<std::invalid_argument>(
                  "MultiHeadAttention: expected widths that are equal where v_proj is left out, "
                  "got 12 and 4"));
  const MultiHeadAttention layer(kWidth, Seed(1), options(6, 2));
  EXPECT_THAT(
      [&] {
        layer(random({2, 5, 11}));
      },
      ThrowsMessage<ShapeError>(
          "MultiHeadAttention: expected x [B, T, 12], got [2, 5, 11]; x=[2, 5, 11]"));
  KvCache cache(
      {.batch = 2, .num_kv_heads = 2, .head_dim = 2, .capacity = 8, .dtype = DType::kFloat64});
  AttentionContext context;
  context.cache = &cache;
  EXPECT_THROW(layer(random({2, 5, kWidth}), context), std::logic_error);
  EXPECT_EQ(cache.length(), 0);
}

TEST(MultiHeadAttention, TakesQueriesKeysAndValuesFromDifferentInputs) {
  const MultiHeadAttention layer(kWidth, Seed(1), options(3, 3));
  randomise(layer);
  const Variable x = random({2, 5, kWidth});
  const Tensor whole = layer(x).value();
  const Variable first = slice(x, /*axis=*/1, 0, 1);
  EXPECT_EQ(test::difference(layer(first, x, x).value(), slice(whole, 1, 0, 1), 1e-12, 1e-13), "");

  // Each input reaches its own projection and no other.
  const Variable other = random({2, 5, kWidth}, 4);
  AttentionTrace same, changed;
  layer(x, {.trace = &same});
  layer(first, x, other, {.trace = &changed});
  EXPECT_EQ(test::difference(changed.query.value(), slice(same.query.value(), 2, 0, 1), 0, 0), "");
  EXPECT_EQ(test::difference(changed.key.value(), same.key.value(), 0, 0), "");
  EXPECT_NE(test::difference(changed.value.value(), same.value.value(), 0, 0.1), "");
  AttentionTrace of_other;
  layer(other, {.trace = &of_other});
  EXPECT_EQ(test::difference(changed.value.value(), of_other.value.value(), 0, 0), "");
}

TEST(MultiHeadAttentionError, NamesTheInputThatDoesNotFit) {
  const MultiHeadAttention layer(kWidth, Seed(1), options(3, 3));
  const Variable x = random({1, 4, kWidth});
  EXPECT_THAT(
      [&] {
        layer(x, random({1, 4, 3}), x);
      },
      ThrowsMessage<ShapeError>("MultiHeadAttention: expected x_k [B, T, 12], got [1, 4, "
                                "3]; x_k=[1, 4, 3]"));
}

}  // namespace
}  // namespace gradwalk::nn
