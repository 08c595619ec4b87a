#include "autograd/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
#include "ops.h"
#include "support.h"
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

Tensor ids_of(std::initializer_list<double> values, const Shape& shape) {
  return reshape(vector(values, DType::kInt64), shape);
}

std::vector<Tensor> layouts() {  // each [3, 4]
  Generator gen(1, "gather");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  return {draw({3, 4}), transpose(draw({4, 3})), slice(draw({3, 8}), 1, 0, 8, 2),
          expand(draw({4}), {3, 4})};
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor x = test::random({2, 5});
  const Tensor indices = matrix({{4, 0, 4}, {1, 2, 1}}, DType::kInt64);
  ops.push_back({"take_along_axis",
                 "",
                 [indices](test::OpInputs in) { return take_along_axis(in[0], indices, 1); },
                 {x},
                 false});
  const Tensor columns = vector({3, 0, 3}, DType::kInt64);
  ops.push_back({"index_select",
                 "",
                 [columns](test::OpInputs in) { return index_select(in[0], 1, columns); },
                 {x},
                 false});
});

TEST(TakeAlongAxisGrad, MatchesCentralDifference) {
  const Tensor last = ids_of({3, 0, 1, 1, 2, 2}, {3, 2});         // repeats within a row
  const Tensor first = ids_of({0, 2, 1, 1, 0, 2, 2, 0}, {2, 4});  // other places for each column
  const Tensor many = expand(ids_of({2, 0, 2}, {1, 3}), {3, 3});
  for (const Tensor& x : layouts()) {
    const auto check = [&](const Tensor& ids, int axis) {
      expect_gradient("take_along_axis",
                      [&](const Inputs& in) { return take_along_axis(in[0], ids, axis); }, {x});
    };
    check(last, -1);
    check(first, 0);
    check(many, 1);
  }
}

TEST(IndexSelectGrad, MatchesCentralDifference) {
  for (const Tensor& x : layouts()) {
    const auto check = [&](const Tensor& ids, int axis) {
      expect_gradient("index_select",
                      [&](const Inputs& in) { return index_select(in[0], axis, ids); }, {x});
    };
    check(ids_of({2, 0, 2, 2, 1}, {5}), 0);
    check(ids_of({3, 3, 0, 1}, {2, 2}), -1);
    check(scalar(1, DType::kInt64), 1);
    check(transpose(ids_of({0, 1, 2, 0, 1, 2}, {2, 3})), -2);
  }
}

TEST(GatherGrad, OfASharedInput) {
  const Tensor ids = ids_of({1, 1, 0}, {3});
  expect_gradient("index_select",
                  [&](const Inputs& in) { return index_select(in[0], 0, ids) * in[0]; },
                  {layouts()[0]});
}

// A backward that writes rows where it should add them kept only the last of several uses of an id
// (BR-16).
TEST(GatherGrad, RepeatedIdsBr16) {
  const nlohmann::json report = test::bug_report("BR-16");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable weight = parameter(test::tensor_from(report["inputs"]["weight"]));
  backward(index_select(weight, 0, test::tensor_from(report["inputs"]["ids"], DType::kInt64)),
           test::tensor_from(report["inputs"]["upstream"]));
  EXPECT_EQ(
      test::difference(weight.grad(), test::tensor_from(report["expected"]["grad_weight"]), 0), "");
}

TEST(GatherGrad, NoIdsGiveZeros) {
  const Variable x = parameter(ones({2, 2}));
  backward(index_select(x, 0, zeros({0}, DType::kInt64)), zeros({0, 2}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0, 0, 0));
}

// The table may be updated in place; the ids may not.
TEST(GatherGrad, ChangedTableIsRightAndChangedIdsAreStale) {
  const Variable x = parameter(vector({1, 2, 3}));
  const Tensor ids = ids_of({2, 2}, {2});
  const Variable selected = index_select(x, 0, ids);
  const Variable taken = take_along_axis(x, ids, 0);
  fill(x.value(), 0);
  backward(selected, vector({1, 10}));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0, 11));
  const Variable again = index_select(x, 0, ids);
  fill(ids, 0);
  EXPECT_THAT(
      [&] { backward(taken, ones({2})); },
      ThrowsMessage<std::logic_error>(
          "take_along_axis: expected the value saved for backward unchanged, got 1 in-place "
          "write since; saved=[2]"));
  EXPECT_THAT([&] { backward(again, ones({2})); },
              ThrowsMessage<std::logic_error>(
                  "index_select: expected the value saved for backward unchanged, got 1 in-place "
                  "write since; saved=[2]"));
  EXPECT_THAT(x.grad().to_vector(), ElementsAre(0, 0, 11));
}

TEST(GatherError, PassesThroughTheVariable) {
  const Variable x = parameter(zeros({2, 3}));
  EXPECT_THAT(
      [&] { index_select(x, 0, ids_of({2}, {1})); },
      ThrowsMessage<std::out_of_range>("index_select: expected ids in [0, 2), got 2 at [0]; "
                                       "x=[2, 3] ids=[1]"));
  EXPECT_THROW(index_select(x, 0, Tensor()), std::invalid_argument);
  EXPECT_THROW(take_along_axis(x, Tensor(), 0), std::invalid_argument);
  EXPECT_THROW(index_select(Variable(), 0, ids_of({0}, {1})), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
