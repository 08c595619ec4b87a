#include "autograd/grad_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(21, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

// x^2 with another rule, which gets x and dy.
template <class Rule>
GradCheckReport check_square(Rule rule) {
  return grad_check("square",
                    [rule](Inputs in) {
                      const Tensor x = in[0].value();
                      return record("square", mul(x, x), {in[0]},
                                    [x, rule](const Tensor& dy) -> Grads { return {rule(x, dy)}; });
                    },
                    {random({2, 3})});
}

TEST(GradCheck, RightGradientPasses) {
  const auto report = check_square([](const Tensor& x, const Tensor& dy) { return dy * x * 2.0; });
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.message, "");
  EXPECT_EQ(report.entries, 6);
  EXPECT_LT(report.worst, 1e-7);
  EXPECT_EQ(report.step, 1e-5);
}

TEST(GradCheck, ZerosFail) {
  const auto report =
      check_square([](const Tensor& x, const Tensor&) { return zeros(x.shape(), x.dtype()); });
  EXPECT_FALSE(report.ok);
  EXPECT_NEAR(report.worst, 1, 1e-6);
  EXPECT_THAT(report.message, HasSubstr("square: d/d input 0 at ["));
  EXPECT_THAT(report.message, HasSubstr("]: backward 0, central difference "));
}

TEST(GradCheck, MissingGradientCountsAsZeros) {
  EXPECT_FALSE(check_square([](const Tensor&, const Tensor&) { return Tensor(); }).ok);
}

TEST(GradCheck, WrongSignFails) {
  const auto report = check_square([](const Tensor& x, const Tensor& dy) { return dy * x * -2.0; });
  EXPECT_FALSE(report.ok);
  EXPECT_NEAR(report.worst, 2, 1e-6);
}

TEST(GradCheck, MissingFactorFails) {
  EXPECT_FALSE(check_square([](const Tensor& x, const Tensor& dy) { return dy * x; }).ok);
}

TEST(GradCheck, FactorThatIsWrongInTheSixthDigitFails) {
  EXPECT_FALSE(
      check_square([](const Tensor& x, const Tensor& dy) { return dy * x * (2 + 1e-5); }).ok);
}

TEST(GradCheck, UpstreamGradientThatIsIgnoredFails) {
  EXPECT_FALSE(check_square([](const Tensor& x, const Tensor&) { return x * 2.0; }).ok);
}

TEST(GradCheck, OneWrongEntryFailsAndIsNamed) {
  const auto report = check_square([](const Tensor& x, const Tensor& dy) {
    const Tensor dx = dy * x * 2.0;
    mul_into(select(select(dx, 0, 1), 0, 2), 1.01);
    return dx;
  });
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr("square: d/d input 0 at [1, 2]: "));
}

TEST(GradCheck, SumWhereThereIsNoneFails) {
  EXPECT_FALSE(check_square([](const Tensor& x, const Tensor& dy) {
                 return expand(sum(dy * x * 2.0, 1, /*keepdims=*/true), x.shape());
               }).ok);
}

TEST(GradCheck, NanFails) {
  const auto report = check_square([](const Tensor& x, const Tensor& dy) {
    const Tensor dx = dy * x * 2.0;
    fill(select(select(dx, 0, 0), 0, 1), std::nan(""));
    return dx;
  });
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(report.message, HasSubstr("at [0, 1]: backward nan, central difference "));
}

TEST(GradCheck, TransposedGradientFails) {
  const auto report = grad_check(
      "square",
      [](Inputs in) {
        const Tensor x = in[0].value();
        return record("square", mul(x, x), {in[0]},
                      [x](const Tensor& dy) -> Grads { return {transpose(dy * x * 2.0)}; });
      },
      {random({3, 3})});
  EXPECT_FALSE(report.ok);
}

TEST(GradCheck, SwappedInputsFail) {
  const auto report = grad_check("product",
                                 [](Inputs in) {
                                   const Tensor a = in[0].value();
                                   const Tensor b = in[1].value();
                                   return record("product", mul(a, b), {in[0], in[1]},
                                                 [a, b](const Tensor& dy) -> Grads {
                                                   return {dy * a, dy * b};
                                                 });
                                 },
                                 {random({3}), random({3}) * 2.0});
  EXPECT_FALSE(report.ok);
}

// A softmax sums to 1. Weighted with ones, or with any one number, its gradient is zero, and so a
// backward of zeros passes; the random weights of the check find it.
TEST(GradCheck, SoftmaxWithABackwardOfZerosFailsThoughASumHidesIt) {
  const auto broken = [](Inputs in) {
    return record("softmax", softmax(in[0].value(), -1), {in[0]},
                  [](const Tensor& dy) -> Grads { return {zeros(dy.shape(), dy.dtype())}; });
  };
  const Tensor x = random({2, 4});
  const auto with_ones = [&](Inputs in) { return sum(broken(in)); };
  EXPECT_TRUE(grad_check("softmax", with_ones, {x}).ok);
  EXPECT_FALSE(grad_check("softmax", broken, {x}).ok);
  EXPECT_TRUE(grad_check("softmax", [](Inputs in) { return softmax(in[0], -1); }, {x}).ok);
}

// At zero, with a step of 1/2, every number here is exact.
TEST(GradCheck, MessageGivesOpInputIndexBothNumbersAndStep) {
  const auto wrong = [](Inputs in) {
    return record("plus", add(in[0].value(), in[1].value()), {in[0], in[1]},
                  [](const Tensor& dy) -> Grads {
                    const Tensor db = clone(dy);
                    fill(select(db, 0, 1), 0.25);
                    return {dy, db};
                  });
  };
  const Tensor zero = zeros({2}, DType::kFloat64);
  GradCheckOptions options;
  options.step = 0.5;
  const auto report = grad_check("plus", wrong, {zero, zero}, options);
  Generator generator(options.seed, "grad_check plus");
  const double weight = normal({2}, generator, DType::kFloat64).at({1});
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(
      report.message,
      fmt::format("plus: d/d input 1 at [1]: backward 0.25, central difference {} (step 5e-01)",
                  weight));
  EXPECT_EQ(report.step, 0.5);
  EXPECT_EQ(report.entries, 4);
}

TEST(GradCheck, NamesTheWorstEntry) {
  const auto report = check_square([](const Tensor& x, const Tensor& dy) {
    const Tensor dx = dy * x * 2.0;
    mul_into(select(select(dx, 0, 0), 0, 0), 1.01);
    mul_into(select(select(dx, 0, 1), 0, 0), -1);
    return dx;
  });
  EXPECT_THAT(report.message, HasSubstr("at [1, 0]"));
}

TEST(GradCheck, WorksInFloat64AndLeavesItsInputs) {
  const Tensor x = vector({1, 2});
  bool wide = true;
  const auto report = grad_check("exp",
                                 [&](Inputs in) {
                                   wide = wide && in[0].value().dtype() == DType::kFloat64;
                                   return exp(in[0]);
                                 },
                                 {x});
  EXPECT_TRUE(report.ok);
  EXPECT_TRUE(wide);
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2));
  EXPECT_EQ(x.dtype(), DType::kFloat32);
}

TEST(GradCheck, ToleranceIsAnOption) {
  GradCheckOptions loose;
  loose.tolerance = 0.02;
  const auto slightly_wrong = [](Inputs in) {
    return record("neg", neg(in[0].value()), {in[0]},
                  [](const Tensor& dy) -> Grads { return {dy * -1.01}; });
  };
  EXPECT_TRUE(grad_check("neg", slightly_wrong, {random({3})}, loose).ok);
  EXPECT_FALSE(grad_check("neg", slightly_wrong, {random({3})}).ok);
}

TEST(GradCheck, DetachedInputFails) {
  EXPECT_FALSE(grad_check("detach", [](Inputs in) { return in[0] * in[1].detach(); },
                          {random({2}), random({2})})
                   .ok);
}

TEST(GradCheck, InputThatDoesNotMatterHasGradientZero) {
  EXPECT_TRUE(
      grad_check("unused", [](Inputs in) { return in[0] * 2.0; }, {random({2}), random({3})}).ok);
}

TEST(GradCheck, EmptyInputsPass) {
  const auto report = grad_check("exp", [](Inputs in) { return exp(in[0]); }, {zeros({0, 3})});
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.entries, 0);
}

// A function that was not recorded is no right gradient.
TEST(GradCheck, FunctionWithoutAGraphIsAnError) {
  EXPECT_THROW(
      grad_check("constant", [](Inputs in) { return Variable(in[0].value()); }, {random({2})}),
      std::logic_error);
}

}  // namespace
}  // namespace gradwalk
