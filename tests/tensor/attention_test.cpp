#include "tensor/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reference/attention.h"

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kDouble = DType::kFloat64;

// Numbers of their own, [1, heads, rows, width].
Tensor drawn(const char* name, std::int64_t heads, std::int64_t rows, std::int64_t width,
             DType dtype = kDouble) {
  Generator generator(5, name);
  return normal({1, heads, rows, width}, generator, dtype);
}

// Each feature alone on an axis of its own, so that the result shows the weights.
Tensor identity(std::int64_t n) {
  const Tensor eye = zeros({1, 1, n, n}, kDouble);
  for (std::int64_t i = 0; i < n; ++i) fill(select(select(eye, 2, i), 2, i), 1);
  return eye;
}

TEST(Attention, SmallCaseByHand) {
  // Scores 0 and log 3 give the weights 1/4 and 3/4.
  const Tensor query = from_vector({1, 0}, {1, 1, 1, 2}, kDouble);
  const Tensor key = from_vector({0, 5, std::log(3), 7}, {1, 1, 2, 2}, kDouble);
  const Tensor value = from_vector({8, 0, 4, 12}, {1, 1, 2, 2}, kDouble);
  const AttentionResult result = attention_with_log_sum(query, key, value, {.scale = 1});
  EXPECT_EQ(test::difference(result.y, from_vector({5, 9}, {1, 1, 1, 2}, kDouble), 1e-15), "");
  EXPECT_NEAR(result.log_sum.item(), std::log(4), 1e-15);
  EXPECT_EQ(result.log_sum.dtype(), kDouble);
}

TEST(Attention, OneKeyGivesItsValueWhateverTheScore) {
  const Tensor value = drawn("value", 2, 1, 3);
  const Tensor y = attention(drawn("query", 2, 4, 5), drawn("key", 2, 1, 5), value);
  EXPECT_EQ(test::difference(y, expand(value, {1, 2, 4, 3}), 0), "");
}

// Running maximum: scores grow from tile to tile, and would overflow an exponential by far.
TEST(Attention, LargeScoresThatGrow) {
  const std::int64_t keys = 200;
  std::vector<double> scores;
  for (std::int64_t j = 0; j < keys; ++j) scores.push_back(10.0 * static_cast<double>(j));
  const Tensor key = from_vector(scores, {1, 1, keys, 1}, kDouble);
  const Tensor value = reshape(to(arange(0, keys), kDouble), {1, 1, keys, 1});
  const double e = std::exp(-10.0);
  const double up = attention(ones({1, 1, 1, 1}, kDouble), key, value).item();
  EXPECT_NEAR(up, 199 - e / (1 - e), 1e-9);
  const double down = attention(full({1, 1, 1, 1}, -1, kDouble), key, value).item();
  EXPECT_NEAR(down, e / (1 - e), 1e-9);
}

TEST(Attention, ThreeAxesAreABatchOfOne) {
  const Tensor q = drawn("query", 4, 3, 5), k = drawn("key", 2, 7, 5), v = drawn("value", 2, 7, 2);
  AttentionOptions batched{.causal = true};
  batched.key_padding_mask = from_vector({1, 0, 1, 1, 1, 0, 1}, {1, 7}, DType::kBool);
  batched.additive_mask = drawn("mask", 4, 3, 7);
  AttentionOptions single = batched;
  single.key_padding_mask = squeeze(batched.key_padding_mask, 0);
  single.additive_mask = squeeze(batched.additive_mask, 0);
  const auto plain = [](const Tensor& x) { return squeeze(x, 0); };
  const AttentionResult want = attention_with_log_sum(q, k, v, batched);
  const AttentionResult got = attention_with_log_sum(plain(q), plain(k), plain(v), single);
  EXPECT_EQ(test::difference(got.y, plain(want.y), 0), "");
  EXPECT_EQ(test::difference(got.log_sum, plain(want.log_sum), 0), "");
  const AttentionGrads grads =
      attention_backward(plain(q), plain(k), plain(v), single, got, plain(want.y));
  const AttentionGrads want_grads = attention_backward(q, k, v, batched, want, want.y);
  EXPECT_EQ(test::difference(grads.dquery, plain(want_grads.dquery), 0), "");
  EXPECT_EQ(test::difference(grads.dkey, plain(want_grads.dkey), 0), "");
  EXPECT_EQ(test::difference(grads.dvalue, plain(want_grads.dvalue), 0), "");
}

// What a model hands in: heads beside each other in [B, T, H, Dh], seen as [B, H, T, Dh]. They are
// read in place, and results lie as their inputs do: merging the heads is a view.
TEST(Attention, HeadsLastViewsStayInTheirLayout) {
  Generator generator(6, "heads last");
  const Tensor q = permute(normal({2, 5, 4, 8}, generator), {0, 2, 1, 3});
  const Tensor k = permute(normal({2, 9, 2, 8}, generator), {0, 2, 1, 3});
  const Tensor v = permute(normal({2, 9, 2, 6}, generator), {0, 2, 1, 3});
  const AttentionOptions options{.causal = true};
  const AttentionResult result = attention_with_log_sum(q, k, v, options);
  const AttentionResult want = attention_with_log_sum(clone(q), clone(k), clone(v), options);
  const AttentionGrads grads = attention_backward(q, k, v, options, result, result.y);
  const AttentionGrads want_grads =
      attention_backward(clone(q), clone(k), clone(v), options, want, want.y);
  const auto same = [](const Tensor& got, const Tensor& wanted) {
    EXPECT_EQ(test::difference(got, wanted, 0), "");
    EXPECT_TRUE(permute(got, {0, 2, 1, 3}).is_contiguous());
    EXPECT_TRUE(wanted.is_contiguous());
  };
  same(result.y, want.y);
  same(grads.dquery, want_grads.dquery);
  same(grads.dkey, want_grads.dkey);
  same(grads.dvalue, want_grads.dvalue);
  const auto one = [](const Tensor& x) { return select(x, 0, 1); };
  const Tensor y = attention(one(q), one(k), one(v), options);
  EXPECT_EQ(test::difference(y, one(want.y), 0), "");
  EXPECT_TRUE(permute(y, {1, 0, 2}).is_contiguous());
}

TEST(Attention, EmptyAxes) {
  const auto run = [](std::int64_t heads, std::int64_t kv_heads, std::int64_t t, std::int64_t s) {
    const Tensor q = drawn("query", heads, t, 3), k = drawn("key", kv_heads, s, 3);
    const AttentionResult result = attention_with_log_sum(q, k, k);
    EXPECT_EQ(result.y.shape(), q.shape());
    EXPECT_THAT(result.y.to_vector(), Each(0));
    const AttentionGrads grads = attention_backward(q, k, k, {}, result, q);
    EXPECT_EQ(grads.dkey.shape(), k.shape());
    EXPECT_THAT(grads.dquery.to_vector(), Each(0));
    EXPECT_THAT(grads.dkey.to_vector(), Each(0));
    EXPECT_THAT(grads.dvalue.to_vector(), Each(0));
  };
  run(2, 2, /*t=*/0, /*s=*/5);
  run(2, 2, /*t=*/5, /*s=*/0);
  run(0, 2, /*t=*/5, /*s=*/4);
  run(0, 0, /*t=*/5, /*s=*/4);
}

// T > S: the first T - S queries stand before every key.
TEST(Attention, CausalQueriesBeforeEveryKeyGiveZeros) {
  const Tensor q = drawn("query", 1, 5, 3), k = drawn("key", 1, 2, 3);
  const AttentionResult result = attention_with_log_sum(q, k, k, {.causal = true});
  EXPECT_THAT(slice(result.y, 2, 0, 3).to_vector(), Each(0));
  EXPECT_THAT(slice(result.log_sum, 2, 0, 3).to_vector(), Each(-kInfinity));
  EXPECT_EQ(test::difference(slice(result.y, 2, 3, 4), slice(k, 2, 0, 1), 1e-15), "");
  const AttentionGrads grads = attention_backward(q, k, k, {.causal = true}, result, q);
  EXPECT_THAT(slice(grads.dquery, 2, 0, 3).to_vector(), Each(0));
}

// A hidden key takes no part: not even a NaN in it, or in its value, is seen, forward or backward.
TEST(Attention, HiddenKeysAreNotRead) {
  AttentionOptions padding{}, additive{};
  padding.key_padding_mask = from_vector({1, 0, 1}, {1, 3}, DType::kBool);
  additive.additive_mask = vector({0, -kInfinity, 0}, kDouble);
  const Tensor q = drawn("query", 1, 2, 4), k = drawn("key", 1, 3, 4), v = drawn("value", 1, 3, 2);
  const Tensor dy = drawn("dy", 1, 2, 2);
  for (const double odd : {std::nan(""), kInfinity}) {
    const Tensor odd_k = clone(k), odd_v = clone(v);
    fill(select(odd_k, 2, 1), odd);
    fill(select(odd_v, 2, 1), odd);
    for (const AttentionOptions& options : {padding, additive}) {
      const AttentionResult want = attention_with_log_sum(q, k, v, options);
      const AttentionResult got = attention_with_log_sum(q, odd_k, odd_v, options);
      EXPECT_EQ(test::difference(got.y, want.y, 0), "");
      const AttentionGrads want_grads = attention_backward(q, k, v, options, want, dy);
      const AttentionGrads grads = attention_backward(q, odd_k, odd_v, options, got, dy);
      EXPECT_EQ(test::difference(grads.dquery, want_grads.dquery, 0), "");
      EXPECT_EQ(test::difference(grads.dkey, want_grads.dkey, 0), "");
      EXPECT_EQ(test::difference(grads.dvalue, want_grads.dvalue, 0), "");
      EXPECT_THAT(select(grads.dkey, 2, 1).to_vector(), Each(0));
      EXPECT_THAT(select(grads.dvalue, 2, 1).to_vector(), Each(0));
    }
  }
}

// Causal: a NaN at position 2 is seen from position 2 on and not before.
TEST(Attention, NanStaysVisibleAndStaysInTheFuture) {
  const Tensor q = drawn("query", 1, 4, 3), k = drawn("key", 1, 4, 3);
  fill(select(k, 2, 2), std::nan(""));
  const Tensor y = attention(q, k, drawn("value", 1, 4, 2), {.causal = true});
  EXPECT_THAT(slice(y, 2, 0, 2).to_vector(),
              Each(testing::Truly([](double x) { return std::isfinite(x); })));
  EXPECT_THAT(slice(y, 2, 2, 4).to_vector(), Each(testing::IsNan()));
  // Also where it is the only key that is seen.
  EXPECT_THAT(attention(q, slice(k, 2, 2, 3), slice(q, 2, 0, 1)).to_vector(),
              Each(testing::IsNan()));
  const Tensor inf_mask = vector({0, kInfinity, 0, 0}, kDouble);
  EXPECT_THAT(attention(q, q, q, {.additive_mask = inf_mask}).to_vector(), Each(testing::IsNan()));
}

TEST(Attention, WeightsOfTheReferenceSumToOne) {
  const Tensor q = drawn("query", 2, 3, 4), k = drawn("key", 1, 3, 4);
  // With the identity as values, the result is the map of weights.
  const Tensor weights = attention(q, k, identity(3), {.causal = true});
  EXPECT_EQ(test::difference(weights, reference::attention_weights(q, k, {.causal = true}), 1e-14),
            "");
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = i + 1; j < 3; ++j) EXPECT_EQ(weights.at({0, 1, i, j}), 0);
  }
}

}  // namespace
}  // namespace gradwalk
