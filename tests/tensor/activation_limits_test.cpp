// Activations far out and at special places, against numbers worked out elsewhere: with 60 digits,
// from the formulas in tensor/activation.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/activation.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/minmax.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Known {
  double x, y;
};

// float64 to 1e-14: an argument of an exponential, up to 80, is rounded. float32 likewise.
template <class F>
void expect_known(F f, std::initializer_list<Known> table) {
  for (const Known& known : table) {
    const double got = f(scalar(known.x, DType::kFloat64)).item();
    EXPECT_NEAR(got, known.y, 2e-14 * std::abs(known.y)) << "x = " << known.x;
    const double narrow = f(scalar(known.x)).item();
    const double moves = std::abs(narrow - f(scalar(known.x * (1 + 1e-7), DType::kFloat64)).item());
    EXPECT_NEAR(narrow, known.y, 1e-6 * std::abs(known.y) + 2 * moves) << "x = " << known.x;
  }
}

TEST(Activation, KnownValues) {
  expect_known([](const Tensor& x) { return sigmoid(x); }, {{-80, 1.8048513878454152e-35},
                                                            {-2, 0.11920292202211756},
                                                            {0, 0.5},
                                                            {0.5, 0.62245933120185456},
                                                            {3, 0.95257412682243322}});
  expect_known(
      [](const Tensor& x) { return tanh(x); },
      {{1e-5, 9.9999999996666667e-6}, {-2, -0.96402758007581688}, {0.5, 0.46211715726000976}});
  expect_known([](const Tensor& x) { return gelu(x); }, {{-10, -7.6198530241605261e-23},
                                                         {-5, -1.4332578593959696e-6},
                                                         {-0.5, -0.15426876936299345},
                                                         {0.001, 0.00050039894221391107},
                                                         {1, 0.84134474606854295},
                                                         {3, 2.9959503059051097}});
  expect_known([](const Tensor& x) { return gelu(x, GeluForm::kTanh); },
               {{-5, -2.291796196629506e-7},
                {-3, -0.0036373920817730188},
                {-0.5, -0.15428599017485608},
                {1, 0.8411919906082767},
                {3, 2.996362607918227}});
  expect_known([](const Tensor& x) { return silu(x); }, {{-80, -1.4438811102763321e-33},
                                                         {-1.2784645427610738, -0.2784645427610738},
                                                         {2, 1.7615941559557649}});
  expect_known([](const Tensor& x) { return softplus(x); }, {{-80, 1.8048513878454152e-35},
                                                             {-30, 9.3576229688397368e-14},
                                                             {0, 0.69314718055994531},
                                                             {2, 2.1269280110429725},
                                                             {40, 40}});
}

TEST(Activation, KnownDerivatives) {
  const auto one = [](const Tensor& x) { return ones({}, x.dtype()); };
  expect_known(
      [&](const Tensor& x) { return gelu_backward(x, one(x)); },
      {{-5, -7.1469460017922946e-6}, {-0.5, 0.13250487534383716}, {1, 1.0833154705876863}});
  expect_known([&](const Tensor& x) { return gelu_backward(x, one(x), GeluForm::kTanh); },
               {{-3, -0.011584166630969726}, {-0.5, 0.13263009646535769}, {1, 1.0829640838457826}});
  expect_known(
      [&](const Tensor& x) { return silu_backward(x, one(x)); },
      {{-80, -1.425832596397878e-33}, {-1, 0.072329488128513268}, {2, 1.0907842487848955}});
  // The zero of gelu's derivative.
  EXPECT_NEAR(
      gelu_backward(scalar(-0.75179152469356446, DType::kFloat64), one(scalar(0, DType::kFloat64)))
          .item(),
      0, 2e-16);
}

// Each value and each derivative far out, in float32 where the exponential has long overflowed.
TEST(Activation, NothingOverflows) {
  for (const double far : {1e3, 1e4, 1e20, 3e38, kInf}) {
    const Tensor x = vector({-far, far});
    const double there = x.to_vector()[1];  // as float32 has it
    EXPECT_THAT(tanh(x).to_vector(), ElementsAre(-1, 1)) << far;
    EXPECT_THAT(sigmoid(x).to_vector(), ElementsAre(0, 1)) << far;
    for (const Tensor& y : {relu(x), gelu(x), gelu(x, GeluForm::kTanh), silu(x), softplus(x)}) {
      EXPECT_THAT(y.to_vector(), ElementsAre(0, there)) << far;
    }
    const Tensor dy = vector({3, 5});
    for (const Tensor& dx :
         {gelu_backward(x, dy), gelu_backward(x, dy, GeluForm::kTanh), silu_backward(x, dy),
          softplus_backward(x, dy), relu_backward(relu(x), dy)}) {
      EXPECT_THAT(dx.to_vector(), ElementsAre(0, 5)) << far;
    }
    EXPECT_THAT(tanh_backward(tanh(x), dy).to_vector(), Each(0)) << far;
    EXPECT_THAT(sigmoid_backward(sigmoid(x), dy).to_vector(), Each(0)) << far;
  }
}

TEST(Activation, FarTailsKeepTheirDigitsDownToDenormalNumbers) {
  for (const Tensor& y : {sigmoid(scalar(-100)), softplus(scalar(-100))}) {
    EXPECT_NEAR(y.item(), 3.7200759760208360e-44, 1.4e-45);  // half of float32's smallest step
  }
  EXPECT_GT(sigmoid(scalar(-740, DType::kFloat64)).item(), 0);
}

TEST(Activation, ReluByHand) {
  const Tensor x = vector({-2, -0.0, 0, 3});
  EXPECT_THAT(relu(x).to_vector(), ElementsAre(0, 0, 0, 3));
  EXPECT_FALSE(std::signbit(relu(x).to_vector()[1]));
  // An infinite gradient does not turn into NaN where relu is flat.
  const Tensor dx = relu_backward(relu(x), vector({kInf, kInf, kInf, 7}));
  EXPECT_THAT(dx.to_vector(), ElementsAre(0, 0, 0, 7));
  EXPECT_THAT(relu_backward(x, ones({4})).to_vector(), ElementsAre(0, 0, 0, 1));  // x for y
}

// max(0, x) as std::max(0, x) makes 0 of a NaN, since 0 < NaN is false (BR-36).
TEST(Activation, ReluOfNan) {
  const auto report = test::bug_report("BR-36");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor x = test::tensor_from(report.at("inputs").at("relu_of"));
  EXPECT_EQ(test::difference(relu(x), test::tensor_from(report.at("expected").at("relu")), 0), "");
}

TEST(Activation, TheTwoFormsOfGeluAreCloseAndNotTheSame) {
  Generator generator(2, "gelu forms");
  const Tensor x = uniform({10000}, generator, -6, 6, DType::kFloat64);
  const double apart = max(abs(gelu(x) - gelu(x, GeluForm::kTanh))).item();
  EXPECT_GT(apart, 4.6e-4);
  EXPECT_LT(apart, 4.74e-4);
}

TEST(Activation, Identities) {
  Generator generator(3, "identities");
  const Tensor x = normal({1000}, generator, DType::kFloat64) * 5.0;
  EXPECT_EQ(test::difference(sigmoid(x) + sigmoid(-x), ones({1000}, DType::kFloat64), 4e-16), "");
  // 3 ulp of tanh and twice 2 of sigmoid, 1.1e-16 each.
  EXPECT_EQ(test::difference(tanh(x), 2.0 * sigmoid(2.0 * x) - 1.0, 0, 8e-16), "");
  EXPECT_EQ(test::difference(softplus(x) - softplus(-x), x, 1e-15, 1e-15), "");
  EXPECT_EQ(test::difference(gelu(x) - gelu(-x), x, 1e-15, 1e-15), "");
  EXPECT_EQ(test::difference(silu(x) - silu(-x), x, 1e-15, 1e-15), "");
}

}  // namespace
}  // namespace gradwalk
