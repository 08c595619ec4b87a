// Attention at sizes around its tiles: strips of 6 or 8 queries, query tiles of 8 strips, key tiles
// of 128 and 256, panels of a few vectors; and the same bits whatever the threads.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attention_bounds.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/reference/attention.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::attention_bounds;
using test::AttentionBounds;
using test::AttentionProblem;

struct Sizes {
  std::int64_t queries, keys, head_dim, value_dim;
  std::int64_t batch = 1, heads = 1, kv_heads = 1;

  std::string str() const {
    return fmt::format("T {} S {} Dh {} Dv {}, {} x {} heads on {}", queries, keys, head_dim,
                       value_dim, batch, heads, kv_heads);
  }
};

AttentionProblem drawn(const Sizes& s, DType dtype, bool causal) {
  Generator generator(23, s.str());
  AttentionProblem p;
  p.query = normal({s.batch, s.heads, s.queries, s.head_dim}, generator, dtype);
  p.key = normal({s.batch, s.kv_heads, s.keys, s.head_dim}, generator, dtype);
  p.value = normal({s.batch, s.kv_heads, s.keys, s.value_dim}, generator, dtype);
  p.dy = normal({s.batch, s.heads, s.queries, s.value_dim}, generator, dtype);
  p.options.causal = causal;
  return p;
}

void expect_reference(const AttentionProblem& p, const std::string& what) {
  const AttentionBounds bound = attention_bounds(p);
  const AttentionResult forward = attention_with_log_sum(p.query, p.key, p.value, p.options);
  const AttentionGrads grads =
      attention_backward(p.query, p.key, p.value, p.options, forward, p.dy);
  const Tensor y = reference::attention(p.query, p.key, p.value, p.options);
  const AttentionGrads want =
      reference::attention_backward(p.query, p.key, p.value, p.options, p.dy);
  EXPECT_EQ(test::difference(forward.y, y, bound.y), "") << what;
  EXPECT_EQ(test::difference(grads.dquery, want.dquery, bound.dquery), "") << what;
  EXPECT_EQ(test::difference(grads.dkey, want.dkey, bound.dkey), "") << what;
  EXPECT_EQ(test::difference(grads.dvalue, want.dvalue, bound.dvalue), "") << what;
}

void expect_reference(const Sizes& sizes) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const bool causal : {true, false}) {
      expect_reference(drawn(sizes, dtype, causal),
                       fmt::format("{} {} causal {}", sizes.str(), name(dtype), causal));
    }
  }
}

TEST(AttentionTiles, QueriesAndKeysAlike) {
  for (const std::int64_t t : {1, 5, 6, 7, 8, 9, 16, 17, 47, 48, 49, 63, 64, 65, 127, 128, 129}) {
    expect_reference({.queries = t, .keys = t, .head_dim = 16, .value_dim = 16});
  }
  for (const std::int64_t t : {255, 256, 257, 300}) {
    expect_reference({.queries = t, .keys = t, .head_dim = 8, .value_dim = 8});
  }
}

TEST(AttentionTiles, WidthsOfHeads) {
  for (const std::int64_t width : {1, 4, 16, 20, 31, 32, 33, 48, 64, 80, 96, 128}) {
    expect_reference({.queries = 19, .keys = 37, .head_dim = width, .value_dim = width});
    expect_reference({.queries = 19, .keys = 37, .head_dim = 5, .value_dim = width});
  }
}

TEST(AttentionTiles, QueriesAndKeysApart) {
  for (const auto& [queries, keys] :
       {std::pair{1, 300}, {3, 257}, {70, 200}, {65, 129}, {200, 70}, {130, 1}, {300, 9}}) {
    expect_reference({.queries = queries, .keys = keys, .head_dim = 12, .value_dim = 20});
  }
}

TEST(AttentionTiles, GroupsAndBatches) {
  for (const std::int64_t kv_heads : {1, 2, 6}) {
    expect_reference({.queries = 67,
                      .keys = 67,
                      .head_dim = 8,
                      .value_dim = 12,
                      .batch = 2,
                      .heads = 6,
                      .kv_heads = kv_heads});
  }
}

TEST(AttentionTiles, Masks) {
  const double hidden = -std::numeric_limits<double>::infinity();
  for (const bool causal : {true, false}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const Sizes sizes{
          .queries = 70, .keys = 140, .head_dim = 8, .value_dim = 8, .batch = 2, .heads = 2};
      AttentionProblem p = drawn(sizes, dtype, causal);
      p.options.key_padding_mask = ones({2, 140}, DType::kBool);
      fill(slice(p.options.key_padding_mask, 1, 100, 131), 0);
      fill(select(p.options.key_padding_mask, 1, 7), 0);
      expect_reference(p, "padding");
      Generator generator(24, "mask");
      p.options.additive_mask = normal({2, 70, 140}, generator, dtype);
      fill(slice(p.options.additive_mask, 1, 3, 20), hidden);
      expect_reference(p, "padding and additive");
    }
  }
}

// The usual mask of other libraries, the lowest number instead of -inf: where it hides all keys,
// all weigh the same.
TEST(AttentionTiles, LowestNumberAsMask) {
  AttentionProblem p =
      drawn({.queries = 9, .keys = 20, .head_dim = 4, .value_dim = 3}, DType::kFloat32, false);
  p.options.additive_mask = zeros({9, 20});
  fill(slice(p.options.additive_mask, 1, 5, 12), std::numeric_limits<float>::lowest());
  fill(select(p.options.additive_mask, 0, 4), std::numeric_limits<float>::lowest());
  AttentionOptions none;
  none.scale = 0;
  const Tensor y = attention(p.query, p.key, p.value, p.options);
  const Tensor mean = attention(p.query, p.key, p.value, none);
  EXPECT_EQ(test::difference(select(y, 2, 4), select(mean, 2, 4), 1e-6, 1e-6), "");
  AttentionOptions hides = p.options;
  hides.additive_mask = zeros({9, 20});
  fill(slice(hides.additive_mask, 1, 5, 12), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(test::difference(slice(y, 2, 0, 4),
                             slice(attention(p.query, p.key, p.value, hides), 2, 0, 4), 1e-6, 1e-6),
            "");
}

// What a query may not see does not reach it, whatever tile it stands in: with NaN in all keys and
// values past a position, and in queries and gradients before it, the others keep their bits.
TEST(AttentionTiles, NanStaysInTheFuture) {
  const Sizes sizes{.queries = 300, .keys = 300, .head_dim = 16, .value_dim = 16};
  const double nan = std::nan("");
  for (const std::int64_t at : {3, 63, 64, 130, 299}) {
    const AttentionProblem p = drawn(sizes, DType::kFloat32, /*causal=*/true);
    AttentionProblem odd = p;
    odd.key = clone(p.key);
    odd.value = clone(p.value);
    fill(slice(odd.key, 2, at, 300), nan);
    fill(select(odd.value, 2, at), nan);
    const AttentionResult want = attention_with_log_sum(p.query, p.key, p.value, p.options);
    const AttentionResult got = attention_with_log_sum(p.query, odd.key, odd.value, p.options);
    const auto before = [&](const Tensor& x) { return slice(x, 2, 0, at); };
    EXPECT_EQ(test::difference(before(got.y), before(want.y), 0), "") << at;
    EXPECT_THAT(slice(got.y, 2, at, 300).to_vector(), testing::Each(testing::IsNan())) << at;
    const AttentionGrads want_grads =
        attention_backward(p.query, p.key, p.value, p.options, want, p.dy);
    const AttentionGrads grads =
        attention_backward(p.query, odd.key, odd.value, p.options, got, p.dy);
    EXPECT_EQ(test::difference(before(grads.dquery), before(want_grads.dquery), 0), "") << at;

    // The other way: keys from `at` on are seen by none of the queries before it.
    odd = p;
    odd.query = clone(p.query);
    odd.dy = clone(p.dy);
    fill(slice(odd.query, 2, 0, at), nan);
    fill(slice(odd.dy, 2, at / 2, at), nan);
    const AttentionResult odd_forward =
        attention_with_log_sum(odd.query, p.key, p.value, p.options);
    const AttentionGrads odd_grads =
        attention_backward(odd.query, p.key, p.value, p.options, odd_forward, odd.dy);
    const auto after = [&](const Tensor& x) { return slice(x, 2, at, 300); };
    EXPECT_EQ(test::difference(after(odd_grads.dkey), after(want_grads.dkey), 0), "") << at;
    EXPECT_EQ(test::difference(after(odd_grads.dvalue), after(want_grads.dvalue), 0), "") << at;
    EXPECT_THAT(before(odd_grads.dvalue).to_vector(), testing::Each(testing::IsNan())) << at;
  }
}

TEST(AttentionTiles, SameBitsForAnyNumberOfThreads) {
  for (const Sizes& sizes :
       {Sizes{.queries = 300, .keys = 300, .head_dim = 32, .value_dim = 32}, Sizes{.queries = 130,
                                                                             .keys = 260,
                                                                             .head_dim = 16,
                                                                             .value_dim = 24,
                                                                             .batch = 3,
                                                                             .heads = 4,
                                                                             .kv_heads = 2}}) {
    for (const bool causal : {true, false}) {
      const AttentionProblem p = drawn(sizes, DType::kFloat32, causal);
      const auto run = [&](int threads) {
        const int before = num_threads();
        set_num_threads(threads);
        const AttentionResult forward = attention_with_log_sum(p.query, p.key, p.value, p.options);
        const AttentionGrads grads =
            attention_backward(p.query, p.key, p.value, p.options, forward, p.dy);
        set_num_threads(before);
        return std::vector<Tensor>{forward.y, forward.log_sum, grads.dquery, grads.dkey,
                                   grads.dvalue};
      };
      const std::vector<Tensor> one = run(1);
      for (const int threads : {2, 3, 5}) {
        const std::vector<Tensor> many = run(threads);
        for (std::size_t i = 0; i < one.size(); ++i) {
          EXPECT_EQ(test::difference(many[i], one[i], 0), "") << sizes.str() << ' ' << threads;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gradwalk
