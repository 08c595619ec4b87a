#include "autograd/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/error.h"

// Central differences: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

Variable counting() { return parameter(matrix({{0, 1, 2}, {3, 4, 5}})); }

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto view = [&](const char* name, const char* how, const Shape& shape, auto f) {
    ops.push_back(
        {name, how, [f](test::OpInputs in) { return f(in[0]); }, {test::random(shape)}, false});
  };
  using V = const Variable&;
  view("transpose", "", {2, 3, 4}, [](V x) { return transpose(x); });
  view("permute", "", {2, 3, 4}, [](V x) { return permute(x, {2, 0, 1}); });
  view("permute", "negative axes", {2, 3, 4}, [](V x) { return permute(x, {-1, 0, -2}); });
  view("reshape", "view", {2, 3, 4}, [](V x) { return reshape(x, {4, -1}); });
  view("reshape", "of a view", {2, 3}, [](V x) { return reshape(transpose(x), {6}); });
  view("expand", "", {2, 1}, [](V x) { return expand(x, {3, 2, 4}); });
  view("expand", "0-d", {}, [](V x) { return expand(x, {2, 2}); });
  view("slice", "", {4, 3}, [](V x) { return slice(x, 0, 1, 3); });
  view("slice", "steps", {2, 5}, [](V x) { return slice(x, -1, 1, 5, 3); });
  view("slice", "nothing", {2, 3}, [](V x) { return slice(x, 1, 2, 2); });
  view("select", "first axis", {2, 3}, [](V x) { return select(x, 0, 1); });
  view("select", "from the end", {2, 3}, [](V x) { return select(x, -1, -1); });
  view("squeeze", "", {2, 1, 3}, [](V x) { return squeeze(x, 1); });
  view("unsqueeze", "", {2, 3}, [](V x) { return unsqueeze(x, -1); });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"transpose_copy", {test::wide()}, [](test::OpInputs in) { return exp(transpose(in[0])); }});
});

TEST(LayoutGrad, TransposeAndPermutePutTheAxesBack) {
  const Variable x = counting();
  backward(transpose(x), matrix({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 3, 5, 2, 4, 6));
  const Variable y = parameter(zeros({1, 2, 3}));
  backward(permute(y, {2, 0, 1}), from_vector({1, 2, 3, 4, 5, 6}, {3, 1, 2}));
  EXPECT_THAT(y.grad().to_vector(), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(LayoutGrad, ExpandSumsOverWhatItStretched) {
  const Variable x = parameter(matrix({{1}, {2}}));
  backward(expand(x, {2, 2, 2}), from_vector({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1 + 2 + 5 + 6, 3 + 4 + 7 + 8));
}

TEST(LayoutGrad, SliceAndSelectGiveZeroElsewhere) {
  const Variable x = counting();
  backward(slice(x, 1, 0, 3, 2), matrix({{1, 2}, {3, 4}}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(1, 0, 2, 3, 0, 4));
  x.zero_grad();
  backward(select(x, 1, -1), vector({7, 8}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0, 7, 0, 0, 8));
}

TEST(LayoutGrad, OverlappingSlicesAddUp) {
  const Variable x = parameter(vector({1, 2, 3}));
  backward(sum(slice(x, 0, 0, 2) * 2.0) + sum(slice(x, 0, 1, 3) * 3.0));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 5, 3));
}

// The zeros of an empty tensor were taken for an expanded view and refused.
TEST(LayoutGrad, SliceOfAnEmptyTensor) {
  const Variable x = parameter(zeros({0, 3}));
  backward(sum(slice(x, 1, 0, 2)));
  EXPECT_EQ(x.grad().shape(), Shape({0, 3}));
}

TEST(LayoutGrad, SliceThatIsEmptyGivesZeros) {
  const Variable x = counting();
  backward(sum(slice(x, 0, 2, 2)));
  EXPECT_THAT(x.grad().to_vector(), Each(0));
}

TEST(Layout, ValuesAreViews) {
  const Variable x = counting();
  for (const Variable& y : {transpose(x), reshape(x, {3, 2}), slice(x, 0, 0, 1), select(x, 0, 1),
                            unsqueeze(x, 0), permute(x, {1, 0}), expand(x, {2, 2, 3})}) {
    EXPECT_EQ(y.value().storage().get(), x.value().storage().get()) << y.op();
  }
  EXPECT_EQ(squeeze(unsqueeze(x, 1), 1).shape(), x.shape());
}

TEST(LayoutError, IsThatOfTheValue) {
  const Variable x = counting();
  EXPECT_THAT([&] { transpose(parameter(zeros({3}))); },
              ThrowsMessage<ShapeError>("transpose: expected ndim >= 2, got 1; x=[3]"));
  EXPECT_THAT(
      [&] {
        permute(x, {0, 0});
      },
      ThrowsMessage<ShapeError>("permute: expected each of 2 axes once, got [0, 0]; "
                                "x=[2, 3]"));
  EXPECT_THAT(
      [&] { reshape(x, {4}); },
      ThrowsMessage<ShapeError>("reshape: expected a shape of 6 elements, got [4]; x=[2, 3]"));
  EXPECT_THAT([&] { select(x, 0, 2); }, ThrowsMessage<std::out_of_range>(
                                            "select: expected index in [-2, 2), got 2; x=[2, 3]"));
  EXPECT_THROW(expand(x, {3}), ShapeError);
  EXPECT_THROW(slice(x, 0, 0, 1, 0), ShapeError);
  EXPECT_THROW(squeeze(x, 0), ShapeError);
  EXPECT_THROW(unsqueeze(x, 4), ShapeError);
}

}  // namespace
}  // namespace gradwalk
