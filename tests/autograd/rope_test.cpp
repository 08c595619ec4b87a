#include "autograd/rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "golden_arrays.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ThrowsMessage;
using In = const std::vector<Variable>&;

Tensor drawn(const Shape& shape) {
  Generator generator(12, "rope");
  return normal(shape, generator, DType::kFloat64);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  ops.push_back({"rope",
                 "",
                 [](test::OpInputs in) { return rope(in[0], 2); },
                 {test::random({1, 2, 3, 4})},
                 false});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"rope", {{4, 6, 257, 64}}, [](test::OpInputs in) { return rope(in[0]); }});
});

TEST(RopeGrad, MatchesCentralDifferences) {
  for (const RopeLayout layout : {RopeLayout::kInterleaved, RopeLayout::kHalves}) {
    const RopeOptions options{.base = 100, .layout = layout};
    const auto from_start = [&](In in) { return rope(in[0], 3, options); };
    expect_gradient("rope", from_start, {drawn({2, 3, 6})});
    expect_gradient("rope", from_start, {drawn({1, 2})});
    const Tensor positions = from_vector({7, -2, 0, 7}, {4}, DType::kInt64);
    const auto at_positions = [&](In in) { return rope(in[0], positions, options); };
    expect_gradient("rope", at_positions, {drawn({4, 4})});
    // Heads in front of positions, features with steps, one row for all positions.
    expect_gradient("rope", at_positions, {permute(drawn({1, 4, 2, 4}), {0, 2, 1, 3})});
    expect_gradient("rope", at_positions, {slice(drawn({4, 8}), 1, 0, 8, 2)});
    expect_gradient("rope", at_positions, {transpose(drawn({6, 4}))});
    expect_gradient("rope", at_positions, {expand(drawn({1, 4}), {4, 4})});
  }
}

TEST(RopeGrad, SharedInput) {
  expect_gradient("rope", [](In in) { return rope(in[0], 1) * rope(in[0], 5); }, {drawn({3, 4})});
}

// A saved value that was written to gave a gradient of the new values without a word. Here only the
// positions are saved; x may change (BR-09).
TEST(RopeGrad, Br09NoticesAWriteToThePositions) {
  const Variable x = parameter(ones({3, 4}));
  const Tensor positions = arange(0, 3);
  const Variable first = rope(x, positions);
  add_into(x.value(), 1);
  backward(first, ones({3, 4}));
  EXPECT_EQ(test::difference(x.grad(), rope_backward(ones({3, 4}), arange(0, 3)), 0), "");
  const Variable second = rope(x, positions);
  add_into(positions, 1);
  EXPECT_THAT(
      [&] {
        backward(second, ones({3, 4}));
      },
      ThrowsMessage<std::logic_error>("rope: expected the value saved for backward "
                                      "unchanged, got 1 in-place write since; saved=[3]"));
}

TEST(RopeGrad, ErrorsAreThoseOfTheValue) {
  EXPECT_THAT(
      [] {
        rope(parameter(ones({3, 5})));
      },
      ThrowsMessage<std::invalid_argument>("rope: expected x.shape[-1] even, got 5; x=[3, 5]"));
  EXPECT_THAT([] { rope(Variable()); }, ThrowsMessage<std::invalid_argument>(
                                            "rope: expected a tensor, got an undefined one"));
}

// goldens/rope_interleaved: base 10000, positions 0, ..., 11, float64 results rounded to float32.
TEST(Rope, GoldenArrays) {
  auto arrays = test::golden_arrays("rope_interleaved.safetensors");
  GRADWALK_SKIP_WITHOUT_ARRAYS(arrays);
  EXPECT_EQ(test::difference(rope(arrays["x"]), arrays["expected"], 1e-6, 1e-6), "");
  // The other layout is the same with the features of each pair brought together.
  const auto halves = [](const Tensor& x) {
    return reshape(transpose(reshape(x, {4, 12, 32, 2})), {4, 12, 64});
  };
  EXPECT_EQ(test::difference(rope(halves(arrays["x"]), 0, {.layout = RopeLayout::kHalves}),
                             halves(arrays["expected"]), 1e-6, 1e-6),
            "");
}

}  // namespace
}  // namespace gradwalk
