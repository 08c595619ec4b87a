#include "autograd/where.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
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
using testing::ElementsAre;
using testing::ThrowsMessage;
using Inputs = const std::vector<Variable>&;

Tensor drawn(const Shape& shape, std::string_view name) {
  Generator generator(12, name);
  return normal(shape, generator, DType::kFloat64);
}

Tensor mask_of(const Shape& shape) {
  Generator generator(13, "mask");
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    values.push_back(static_cast<double>(generator.below(2)));
  }
  return from_vector(values, shape, DType::kBool);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor mask = matrix({{1, 0, 1}, {0, 0, 1}}, DType::kBool);
  const auto call = [mask](test::OpInputs in) { return where(mask, in[0], in[1]); };
  ops.push_back(
      {"where", "one shape", call, {test::positive({2, 3}), test::random({2, 3})}, false});
  ops.push_back({"where", "stretched", call, {test::positive({3}), test::random({2, 1})}, false});
  ops.push_back({"masked_fill",
                 "",
                 [mask](test::OpInputs in) { return masked_fill(in[0], mask, -7); },
                 {test::random({2, 3})},
                 false});
});

TEST(WhereGrad, MatchesCentralDifferences) {
  const Tensor a = drawn({2, 3, 4}, "a");
  const Tensor b = drawn({2, 3, 4}, "b");
  const Tensor mask = mask_of({2, 3, 4});
  const auto with = [](const Tensor& cond) {
    return [cond](Inputs in) { return where(cond, in[0], in[1]); };
  };
  expect_gradient("where", with(mask), {a, b});
  expect_gradient("where", with(transpose(mask)), {transpose(a), transpose(b)});
  expect_gradient("where", with(mask), {transpose(drawn({2, 4, 3}, "c")), b});
  expect_gradient("where", with(mask), {select(a, 0, 1), slice(b, 1, 0, 1)});  // [3, 4], [2, 1, 4]
  expect_gradient("where", with(select(mask, 0, 0)), {a, select(select(b, 0, 0), 0, 0)});
  expect_gradient("where", with(mask_of({4})), {drawn({3, 1}, "d"), drawn({}, "e")});
  expect_gradient("where", [&](Inputs in) { return where(mask, in[0], in[0] * in[0]); }, {a});
  expect_gradient("where", [&](Inputs in) { return where(mask, in[0], 3.0); }, {a});
  expect_gradient("where", [&](Inputs in) { return where(mask, -1.0, in[0]); }, {select(b, 0, 0)});
}

TEST(MaskedFillGrad, MatchesCentralDifferences) {
  const Tensor x = drawn({2, 3, 4}, "x");
  for (const Tensor& mask : {mask_of({2, 3, 4}), mask_of({4}), mask_of({3, 1}), mask_of({})}) {
    expect_gradient("masked_fill", [&](Inputs in) { return masked_fill(in[0], mask, 2); }, {x});
  }
  const Tensor mask = mask_of({2, 4, 3});
  expect_gradient("masked_fill", [&](Inputs in) { return masked_fill(in[0], mask, 2); },
                  {transpose(x)});
  expect_gradient("masked_fill",
                  [&](Inputs in) { return masked_fill(in[0], transpose(mask), 2) * in[0]; }, {x});
}

// A choice computed as a * mask + b * (1 - mask) gave NaN beside an infinity, forward and backward,
// though that branch is not taken (BR-46).
TEST(WhereGrad, WhatIsNotTakenLeavesNoTrace) {
  const auto report = test::bug_report("BR-46");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& inputs = report.at("inputs");
  const auto& expected = report.at("expected");
  const Variable a = parameter(test::tensor_from(inputs.at("a")));
  const Variable b = parameter(test::tensor_from(inputs.at("b")));
  backward(where(vector({1, 0, 0}, DType::kBool), a, b), test::tensor_from(inputs.at("upstream")));
  EXPECT_EQ(test::difference(a.grad(), test::tensor_from(expected.at("grad_a")), 0), "");
  EXPECT_EQ(test::difference(b.grad(), test::tensor_from(expected.at("grad_b")), 0), "");

  const auto& fill = inputs.at("masked_fill");
  const Variable x = parameter(test::tensor_from(fill.at("x")));
  backward(masked_fill(x, vector({1, 0}, DType::kBool), fill.at("value").get<double>()),
           ones({2}, DType::kFloat64));
  EXPECT_EQ(test::difference(x.grad(),
                             test::tensor_from(expected.at("masked_fill_grad_for_upstream_1")), 0),
            "");
}

// Nor does an infinite upstream gradient.
TEST(WhereGrad, InfiniteUpstreamGoesOnlyWhereItBelongs) {
  const double inf = std::numeric_limits<double>::infinity();
  const Variable a = parameter(vector({1, 2}));
  const Variable b = parameter(vector({3, 4}));
  backward(where(vector({1, 0}, DType::kBool), a, b), vector({inf, std::nan("")}));
  EXPECT_THAT(a.grad().to_vector(), ElementsAre(inf, 0));
  EXPECT_EQ(b.grad().to_vector()[0], 0);
  EXPECT_TRUE(std::isnan(b.grad().to_vector()[1]));
}

// A mask that was written to before backward sent gradients down the other branch without a word
// (BR-09).
TEST(WhereGrad, AMaskChangedMeanwhileIsAnError) {
  const Tensor mask = vector({1, 0}, DType::kBool);
  const Variable x = parameter(vector({1, 2}));
  for (const Variable& y :
       {where(mask, x, 0.0), where(mask, 0.0, x), where(mask, x, x), masked_fill(x, mask, 0)}) {
    copy_into(slice(mask, 0, 1, 2), ones({1}, DType::kBool));
    EXPECT_THAT(
        [&] { backward(y, ones({2})); },
        ThrowsMessage<std::logic_error>(testing::StartsWith(
            std::string(y.op()) + ": expected the value saved for backward unchanged, got ")));
  }
}

TEST(WhereGrad, OperandsMayChangeSinceOnlyTheMaskIsSaved) {
  const Variable a = parameter(vector({1, 2}));
  const Variable b = parameter(vector({3, 4}));
  const Variable y = where(vector({1, 0}, DType::kBool), a, b);
  add_into(a.value(), 10);
  add_into(b.value(), 10);
  backward(y, vector({5, 7}));
  EXPECT_THAT(a.grad().to_vector(), ElementsAre(5, 0));
  EXPECT_THAT(b.grad().to_vector(), ElementsAre(0, 7));
}

TEST(WhereGrad, ConstantsOfOtherDtypesPass) {
  const Variable y = where(vector({1, 0}, DType::kBool), Variable(arange(0, 2)), 7.0);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_THAT(y.value().to_vector(), ElementsAre(0, 7));
}

}  // namespace
}  // namespace gradwalk
