#include "lessons/12_grouped_heads/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/course/engine/measure.h"
#include "tensor/create.h"
#include "tensor/random.h"

namespace gradwalk::lesson_12 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kWidth = 8;

nn::MultiHeadAttention layer(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim = 0) {
  return nn::MultiHeadAttention(
      kWidth, nn::Seed(3),
      {.num_heads = heads,
       .num_kv_heads = kv_heads,
       .head_dim = head_dim,
       .causal = true,
       .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}});
}

TEST(KvHeadVariants, HaveTheNamesOfTheField) {
  EXPECT_EQ(variant_name(8, 8), "MHA");
  EXPECT_EQ(variant_name(8, 2), "GQA, 2 kv");
  EXPECT_EQ(variant_name(8, 1), "MQA");
  EXPECT_EQ(variant_name(1, 1), "MHA") << "one head of its own shares nothing";
}

// W_Q and W_O 8 x 8, W_K and W_V 4 x 8.
TEST(KvHeadVariants, HaveBytesOfAllTheirParameters) {
  EXPECT_EQ(parameter_bytes(layer(4, 2)), 4 * (2 * 64 + 2 * 32));
}

TEST(KvHeadVariants, AreLayersOfCopies) {
  Generator generator(5, "x");
  const Variable x(normal({2, 6, kWidth}, generator));
  const NoGrad no_grad;
  for (const std::int64_t kv_heads : {4, 2, 1}) {
    const auto shared = layer(4, kv_heads);
    const auto copies = with_copies(shared, kWidth);
    EXPECT_EQ(copies->num_parameters(), 4 * 64);
    EXPECT_LT(course::distance((*copies)(x).value(), shared(x).value()), 1e-6) << kv_heads;
  }
}

// Of 4 heads of 2: q.k and w v are 2 multiply-adds each for each head.
TEST(KvHeadVariants, CostTheirParametersAndTwoWidthsForAWordThatIsSeen) {
  for (const std::int64_t kv_heads : {4, 2, 1}) {
    const WordCost cost = cost_of_a_word(layer(4, kv_heads), kWidth);
    EXPECT_EQ(cost.projections, 2 * 64 + 2 * 16 * kv_heads);
    EXPECT_EQ(cost.each_word, 2 * 8);
  }
  EXPECT_EQ(cost_of_a_word(layer(2, 2, 2), kWidth).each_word, 2 * 4) << "half the query heads";
}

TEST(KvHeadVariants, KeepKeysAndValuesOfTheirKvHeads) {
  const nn::KvCache cache = cache_after(layer(4, 2), kWidth, 3);
  EXPECT_EQ(cache.length(), 3);
  EXPECT_EQ(cache.options().num_kv_heads, 2);
  EXPECT_EQ(cache.bytes_used(), 4 * 2 * 2 * 2 * 3);
  EXPECT_EQ(cache.bytes_allocated(), cache.bytes_used());
  EXPECT_EQ(cache_after(layer(4, 0), kWidth, 3).bytes_used(), 2 * cache.bytes_used());
}

TEST(KvHeadVariants, DifferInTheParametersThatAreSaid) {
  const Differences none = differences(layer(4, 2), layer(4, 2));
  EXPECT_THAT(none.names, IsEmpty());
  EXPECT_THAT(none.shapes, IsEmpty());
  EXPECT_EQ(none.same, 4);
  const Differences kv = differences(layer(4, 4), layer(4, 1));
  EXPECT_THAT(kv.names, IsEmpty());
  EXPECT_THAT(kv.shapes, ElementsAre("k_proj.weight", "v_proj.weight"));
  EXPECT_EQ(kv.same, 2);
  const nn::MultiHeadAttention open(kWidth, nn::Seed(3), {.has_o_proj = false});
  EXPECT_THAT(differences(layer(1, 1), open).names, ElementsAre("o_proj.weight"));
  EXPECT_THAT(differences(open, layer(1, 1)).names, ElementsAre("o_proj.weight"));
}

TEST(KvHeadVariants, ReadTheirWeightsAndTheirCache) {
  BlockReader mha(8, 1), mqa(1, 1);
  const BlockStep few = mha.read(3), many = mha.read(12), shared = mqa.read(12);
  EXPECT_EQ(few.cache_bytes, 4 * 2 * 512 * 3);
  EXPECT_EQ(many.cache_bytes, 4 * few.cache_bytes);
  EXPECT_EQ(shared.cache_bytes, many.cache_bytes / 8);
  EXPECT_EQ(few.weight_bytes, many.weight_bytes);
  EXPECT_GT(many.weight_bytes - shared.weight_bytes, 4 * 2 * 448 * 512 - 1)
      << "W_K and W_V of seven heads";
  EXPECT_GT(few.ms, 0);
}

TEST(KvHeadVariants, AttendAsNaiveLoopsDo) {
  const LoopsAndKernel found = loops_and_kernel(40, 1);
  EXPECT_LT(found.apart, 1e-5);
  EXPECT_GT(found.time_ratio, 0);
}

}  // namespace
}  // namespace gradwalk::lesson_12
