#include "lessons/course/engine/product_count.h"

#include <gtest/gtest.h>

#include "autograd/attention.h"
#include "autograd/linear.h"
#include "autograd/matmul.h"
#include "autograd/softmax.h"
#include "nn/attention.h"
#include "tensor/create.h"

namespace gradwalk::course {
namespace {

std::int64_t counted(const auto& work) {
  const ProductCount count;
  work();
  return count.multiply_adds();
}

TEST(ProductCount, OfAProductIsOneForEachTermOfEachSum) {
  EXPECT_EQ(counted([] { matmul(Variable(zeros({2, 3})), Variable(zeros({3, 4}))); }), 2 * 3 * 4);
  EXPECT_EQ(counted([] { matmul(Variable(zeros({5, 2, 3})), Variable(zeros({3}))); }), 5 * 2 * 3);
  EXPECT_EQ(counted([] {
              linear(Variable(zeros({5, 2, 3})), Variable(zeros({4, 3})));
            }),
            5 * 2 * 3 * 4);
  EXPECT_EQ(counted([] { softmax(Variable(zeros({2, 3})), -1); }), 0);
}

TEST(ProductCount, OfAttentionIsTheSameWithAndWithoutItsMap) {
  const Variable query(zeros({2, 4, 3, 5}));
  const Variable key(zeros({2, 2, 7, 5}));
  const std::int64_t expected = 2 * 4 * 3 * 7 * (5 + 5);
  EXPECT_EQ(counted([&] { attention(query, key, key, {.causal = true}); }), expected);
  EXPECT_EQ(counted([&] { weighted_values(attention_weights(query, key), key); }), expected);
}

TEST(ProductCount, OfALayerAddsItsProjections) {
  const nn::MultiHeadAttention layer(8, nn::Seed(1), {.num_heads = 4, .num_kv_heads = 2});
  const Variable x(zeros({1, 3, 8}));
  const std::int64_t projections = 3 * (8 * 8 + 2 * 8 * 4 + 8 * 8);
  EXPECT_EQ(counted([&] { layer(x); }), projections + 4 * 3 * 3 * (2 + 2));
}

TEST(ProductCount, EndsWithItsLife) {
  const ProductCount outer;
  { const ProductCount inner; }
  matmul(Variable(zeros({2, 2})), Variable(zeros({2, 2})));
  EXPECT_EQ(outer.multiply_adds(), 8);
}

}  // namespace
}  // namespace gradwalk::course
