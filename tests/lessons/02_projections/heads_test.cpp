#include "lessons/02_projections/heads.h"

#include <gtest/gtest.h>

#include "autograd/linear.h"
#include "autograd/matmul.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/module_weight.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::lesson_02 {
namespace {

constexpr DType kF64 = DType::kFloat64;

TEST(BlockNorms, AreThoseOfTheJacobian) {
  const Tensor x = matrix({{1, 2}, {3, 4}}, kF64);
  const Tensor w = matrix({{3, 0}, {0, 4}, {0, 0}}, kF64);
  // y = M x W^T, so block [i, j] is M[i, j] W, of norm |M[i, j]| 5.
  const Tensor mix = matrix({{1, -2}, {0, 0.5}}, kF64);
  const Tensor norms =
      block_norms([&](const Variable& in) { return matmul(mix, linear(in, w)); }, x);
  EXPECT_EQ(test::difference(norms, matrix({{5, 10}, {0, 2.5}}, kF64), 1e-15), "");
  const Blocks blocks = blocks_of(norms);
  EXPECT_DOUBLE_EQ(blocks.largest_off, 10);
  EXPECT_DOUBLE_EQ(blocks.smallest_on, 2.5);
  EXPECT_EQ(blocks.smallest, 0);
}

TEST(HeadRows, AreBlocksUnlessInterleaved) {
  const Tensor weight = matrix({{0}, {1}, {2}, {3}});
  EXPECT_EQ(head_rows(weight, 1, 2, false).to_vector(), (std::vector<double>{2, 3}));
  EXPECT_EQ(head_rows(weight, 1, 2, true).to_vector(), (std::vector<double>{1, 3}));
}

TEST(NegateHead, TouchesOneHeadAndTwiceNothing) {
  const nn::MultiHeadAttention layer(4, nn::Seed(1), {.num_heads = 2});
  const Tensor before = clone(tasks::weight_of(layer, "q_proj.weight"));
  negate_head(layer, "q_proj.weight", 1, 2);
  const Tensor after = tasks::weight_of(layer, "q_proj.weight");
  EXPECT_EQ(course::distance(slice(after, 0, 0, 2), slice(before, 0, 0, 2)), 0);
  EXPECT_EQ(course::distance(slice(after, 0, 2, 4) * -1.0, slice(before, 0, 2, 4)), 0);
  negate_head(layer, "q_proj.weight", 1, 2);
  EXPECT_EQ(course::distance(tasks::weight_of(layer, "q_proj.weight"), before), 0);
}

TEST(FreezeOneHot, PutsKeysAndValuesInTheirHalves) {
  tasks::DictionaryModel model(nn::Seed(1), {});
  freeze_one_hot(model);
  Generator generator(1, "pages");
  const tasks::DictionaryBatch page = draw_dictionary(1, model.options().sizes, generator);
  const Tensor x = select(model.inputs(page).value(), 0, 0);
  const auto key = static_cast<std::int64_t>(page.keys.at({0, 2}));
  const auto value = static_cast<std::int64_t>(page.values.at({0, 2}));
  for (std::int64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(x.at({2, i}), i == key || i == 16 + value ? 4 : 0);
    EXPECT_EQ(x.at({8, i}), i == static_cast<std::int64_t>(page.query.at({0})) ? 4 : 0);
  }
}

TEST(DivisionOf, SeesWhichHalfIsUsed) {
  tasks::DictionaryModel model(nn::Seed(1), {});
  freeze_one_hot(model);
  Generator generator(1, "pages");
  const tasks::DictionaryBatch pages = draw_dictionary(64, model.options().sizes, generator);
  const Division before = division_of(model, pages);
  EXPECT_GT(before.matching, 0.2);
  EXPECT_LT(before.matching, 0.8);
  // W_K blind to values, W_V blind to keys: the division is total.
  for (const char* name : {"attention.k_proj.weight", "attention.v_proj.weight"}) {
    Tensor weight = tasks::weight_of(model, name);
    const std::int64_t blind = name[10] == 'k' ? 16 : 0;
    for (std::int64_t row = 0; row < 32; ++row) {
      for (std::int64_t i = 0; i < 16; ++i) weight.mutable_data<float>()[row * 32 + blind + i] = 0;
    }
  }
  const Division after = division_of(model, pages);
  EXPECT_EQ(after.matching, 1);
  EXPECT_EQ(after.content, 1);
}

}  // namespace
}  // namespace gradwalk::lesson_02
