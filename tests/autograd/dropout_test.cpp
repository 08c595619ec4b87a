#include "autograd/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::Each;
using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(7, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

// Each call draws from a generator of the same name, so that differences see one mask.
Variable with_p(const Variable& x, double p) {
  Generator generator(8, "mask");
  return dropout(x, p, generator, /*training=*/true);
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto call = [](test::OpInputs in) {
    Generator generator(3, "dropout");
    return dropout(in[0], 0.5, generator, /*training=*/true);
  };
  ops.push_back({"dropout", "", call, {test::random({2, 3, 4})}, false});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  const auto call = [](test::OpInputs in) {
    Generator generator(7, "dropout");
    return dropout(in[0], 0.3, generator, /*training=*/true);
  };
  works.push_back({"dropout", {test::wide()}, call});
});

TEST(DropoutGrad, OfEveryLayout) {
  for (const double p : {0.0, 0.3, 0.5, 0.9, 1.0}) {
    const auto f = [p](Inputs in) { return with_p(in[0], p); };
    expect_gradient("dropout", f, {random({3, 5})});
    expect_gradient("dropout", f, {transpose(random({5, 3}))});
    expect_gradient("dropout", f, {slice(random({17}), 0, 1, 17, 3)});
    expect_gradient("dropout", f, {expand(random({1, 4}), {3, 4})});
    expect_gradient("dropout", f, {random({})});
    expect_gradient("dropout", [p](Inputs in) { return mul(in[0], with_p(in[0], p)); },
                    {random({2, 6})});
  }
}

// A backward that drew a mask of its own, or forgot the scale, had another function's gradient. It
// is 0 exactly where the output is, and 1 / (1 - p) elsewhere; the upstream in evaluation; zeros
// for p = 1 (BR-26).
TEST(DropoutGrad, UsesTheMaskOfTheForward) {
  const auto report = test::bug_report("BR-26");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor value = test::tensor_from(report["inputs"]["x"]);
  const Tensor upstream = test::tensor_from(report["inputs"]["upstream"]);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Generator generator(seed, "mask");
    const Variable x = parameter(value);
    const Variable y = dropout(x, 0.25, generator, /*training=*/true);
    generator.normal();  // whoever draws between the two passes does not move the mask
    backward(y, upstream);
    for (std::int64_t i = 0; i < value.numel(); ++i) {
      EXPECT_EQ(x.grad().at({i}), y.value().at({i}) == 0 ? 0 : 1 / 0.75);
    }
  }
  Generator generator(1, "mask");
  for (const auto& p : report["inputs"]["p_values"]) {
    const Variable x = parameter(value);
    backward(dropout(x, p.get<double>(), generator, /*training=*/false), upstream);
    EXPECT_EQ(test::difference(x.grad(), upstream, 0), "");
  }
  const Variable x = parameter(value);
  backward(dropout(x, 1, generator, /*training=*/true), upstream);
  EXPECT_THAT(x.grad().to_vector(), Each(0));
  for (const auto& p : report["inputs"]["bad_p"]) {
    const double bad = test::tensor_from(p).item();
    EXPECT_THROW(dropout(x, bad, generator, /*training=*/true), std::invalid_argument);
    EXPECT_THROW(dropout(x, bad, generator, /*training=*/false), std::invalid_argument);
  }
}

TEST(DropoutGrad, TheIdentityIsTheVariableItself) {
  Generator generator(2, "mask");
  const Variable x = parameter(random({3}));
  EXPECT_EQ(dropout(x, 0.5, generator, /*training=*/false).node(), x.node());
  EXPECT_EQ(dropout(x, 0, generator, /*training=*/true).node(), x.node());
  EXPECT_STREQ(dropout(x, 0.5, generator, /*training=*/true).op(), "dropout");
}

TEST(DropoutGrad, TwoCallsHaveTwoMasks) {
  Generator generator(3, "mask");
  const Variable x = parameter(ones({64}));
  const Variable a = dropout(x, 0.5, generator, /*training=*/true);
  const Variable b = dropout(x, 0.5, generator, /*training=*/true);
  EXPECT_NE(a.value().to_vector(), b.value().to_vector());
  backward(add(a, b), ones({64}));
  EXPECT_EQ(test::difference(x.grad(), (a.value() + b.value()), 0), "");
}

// Nothing is saved that a write could spoil: the gradient stays right.
TEST(DropoutGrad, WritesToInputAndOutputDoNotMatter) {
  const Tensor dy = random({4, 5});
  const auto gradient = [&](bool writes) {
    Generator generator(4, "mask");
    const Variable x = parameter(random({4, 5}));
    const Variable y = dropout(x, 0.5, generator, /*training=*/true);
    if (writes) {
      fill(x.value(), 0);
      fill(y.value(), 7);
    }
    backward(y, dy);
    return x.grad();
  };
  EXPECT_EQ(test::difference(gradient(true), gradient(false), 0), "");
}

}  // namespace
}  // namespace gradwalk
