#include "autograd/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ElementsAre;
using testing::ThrowsMessage;

using Inputs = std::vector<Variable>;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 5});
  ops.push_back({"sort", "", [](test::OpInputs in) { return sort(in[0]).values; }, {x}, false});
  ops.push_back(
      {"topk", "", [](test::OpInputs in) { return topk(in[0], 2, 1).values; }, {x}, false});
});

TEST(SortGrad, MatchesCentralDifference) {
  Generator gen(1, "sort");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  for (const Tensor& x : {draw({3, 5}), transpose(draw({5, 3})),
                          slice(draw({2, 3, 10}), 2, 0, 10, 2), expand(draw({3, 4}), {2, 3, 4})}) {
    for (const bool flag : {false, true}) {
      expect_gradient("sort", [=](const Inputs& in) { return sort(in[0], -1, flag).values; }, {x});
      expect_gradient("sort", [=](const Inputs& in) { return sort(in[0], -2, flag).values; }, {x});
      expect_gradient("topk", [=](const Inputs& in) { return topk(in[0], 2, -1, flag).values; },
                      {x});
      expect_gradient("topk", [=](const Inputs& in) { return topk(in[0], 2, -2, flag).values; },
                      {x});
    }
  }
  expect_gradient("sort", [](const Inputs& in) { return sort(in[0]).values * in[0]; },
                  {draw({2, 4})});
}

TEST(SortGrad, EqualElementsGetTheirOwnPlacesGradient) {
  const Variable x = parameter(vector({2, 1, 2}));
  backward(sort(x).values, vector({10, 20, 30}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(20, 10, 30));
  x.zero_grad();
  backward(topk(x, 1).values, vector({5}));  // of two equal ones the first
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(5, 0, 0));
}

TEST(SortGrad, NanAndEmpty) {
  const Variable x = parameter(vector({std::nan(""), 1}));
  backward(sort(x).values, vector({3, 4}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(4, 3));
  x.zero_grad();
  backward(topk(x, 0).values, zeros({0}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0));
}

// x is not kept; the indices that were handed out are.
TEST(SortGrad, ChangedInputIsRightAndChangedIndicesAreStale) {
  const Variable x = parameter(vector({3, 1}));
  const SortedVariable sorted = sort(x);
  const SortedVariable largest = topk(x, 1);
  fill(x.value(), 0);
  backward(sorted.values, vector({1, 2}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(2, 1));
  fill(largest.indices, 1);
  EXPECT_THAT([&] { backward(largest.values, ones({1})); },
              ThrowsMessage<std::logic_error>("topk: expected the value saved for backward "
                                              "unchanged, got 1 in-place write since; saved=[1]"));
}

TEST(SortError, PassesThroughTheVariable) {
  EXPECT_THAT([] { sort(Variable()); }, ThrowsMessage<std::invalid_argument>(
                                            "sort: expected a tensor, got an undefined one"));
  EXPECT_THROW(topk(parameter(zeros({2})), 3), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
