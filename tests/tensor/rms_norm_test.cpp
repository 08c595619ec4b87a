#include "tensor/rms_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/rms_norm.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::Each;
using testing::ElementsAre;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

RmsNormGrads gradients(const Tensor& x, const Tensor& gamma, double eps, const Tensor& dy) {
  return rms_norm_backward(x, gamma, rms_norm_with_statistics(x, gamma, eps).rrms, dy);
}

// One random call, with the sizes of its parts in float64; the parts that no bound can follow are
// those of rows whose squares overflow, which `overflows` marks with an infinity.
struct Call {
  Tensor x, gamma, dy;
  double eps = 0;
  Tensor xhat, rrms, g, overflows;

  explicit Call(RandomCase& c) {
    Shape shape = c.shape(1, 3);
    if (shape[-1] == 0) shape.set(-1, 5);  // rows without features have a test of their own
    x = c.tensor(shape);
    dy = c.tensor(shape);
    const bool finite = c.values() != Values::kInfinite && c.values() != Values::kNan;
    if (c.below(4) > 0) {
      gamma = c.tensor({shape[-1]}, c.dtype(), finite ? c.values() : Values::kPlain);
    }
    constexpr double kEps[] = {1e-6, 1e-12, 0.5};
    eps = kEps[c.below(3)];

    const RmsNormResult wide = rms_norm_with_statistics(to(x, DType::kFloat64), {}, eps);
    xhat = test::finite_sizes(wide.y);
    rrms = unsqueeze(wide.rrms, -1);
    g = test::finite_sizes(scaled(test::finite_sizes(dy)));
    std::vector<double> marks;
    for (const double size : test::finite_sizes(x).to_vector()) {
      const bool over = size > 1e150;
      marks.push_back(over ? kInf : 0);
    }
    overflows = sum(from_vector(marks, x.shape(), DType::kFloat64), -1, /*keepdims=*/true);
  }
  double width() const { return static_cast<double>(x.shape()[-1]); }
  double rows() const { return static_cast<double>(rrms.numel()); }
  // |gamma| times a tensor of x's shape.
  Tensor scaled(const Tensor& t) const {
    return gamma.defined() ? t * test::finite_sizes(gamma) : t;
  }
  // n roundings of float64 and a few of x's dtype, relative to these sizes.
  Tensor bound(const Tensor& sizes, double n) const {
    return test::sum_bound(sizes, DType::kFloat64, 2 * n + 16) +
           test::sum_bound(sizes, x.dtype(), 2);
  }
};

TEST(RmsNorm, EqualsTheReference) {
  for_each_case("rms_norm", 420, [](RandomCase& c) {
    const Call call(c);
    const Tensor y = rms_norm(call.x, call.gamma, call.eps);
    const Tensor want = reference::rms_norm(call.x, call.gamma, call.eps);
    EXPECT_EQ(test::difference(y, want,
                               call.bound(call.scaled(call.xhat), call.width()) + call.overflows),
              "");
    EXPECT_EQ(y.dtype(), call.x.dtype());
  });
}

// dx has the size of rrms (|g| + |xhat| mean |g xhat|). Beside a dy that is not finite a row is not
// finite either; of which kind depends on the order of the sum.
TEST(RmsNormBackward, DxEqualsTheReference) {
  for_each_case("rms_norm_backward dx", 420, [](RandomCase& c) {
    const Call call(c);
    const Tensor dx = gradients(call.x, call.gamma, call.eps, call.dy).dx;
    const Tensor mean_size = sum(call.g * call.xhat, -1, /*keepdims=*/true) / call.width();
    const Tensor sizes = call.rrms * (call.g + call.xhat * mean_size);
    std::vector<double> marks;
    const std::vector<double> dy = call.dy.to_vector();
    for (const double value : dy) marks.push_back(std::isfinite(value) ? 0 : kInf);
    const Tensor unclear =
        sum(from_vector(marks, call.x.shape(), DType::kFloat64), -1, /*keepdims=*/true);
    // What is rounded among denormals is multiplied by rrms afterwards.
    const Tensor denormal = call.rrms * (call.width() * std::numeric_limits<double>::denorm_min());
    const Tensor want = reference::rms_norm_backward(call.x, call.gamma, call.eps, call.dy).dx;
    EXPECT_EQ(test::difference(
                  dx, want, call.bound(sizes, call.width()) + denormal + call.overflows + unclear),
              "");
    const std::vector<double> got = dx.to_vector();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_FALSE(std::isfinite(got[i]) && !std::isfinite(dy[i])) << i;
    }
  });
}

TEST(RmsNormBackward, DgammaEqualsTheReference) {
  for_each_case("rms_norm_backward dgamma", 420, [](RandomCase& c) {
    const Call call(c);
    const Tensor dgamma = gradients(call.x, call.gamma, call.eps, call.dy).dgamma;
    const Tensor want = reference::rms_norm_backward(call.x, call.gamma, call.eps, call.dy).dgamma;
    const Tensor features = zeros({call.x.shape()[-1]}, DType::kFloat64);
    const Tensor sizes = sum_to(test::finite_sizes(call.dy) * call.xhat, features.shape());
    EXPECT_EQ(test::difference(
                  dgamma, want,
                  call.bound(sizes, call.width() + call.rows()) + (features + sum(call.overflows))),
              "");
  });
}

// Squares 1 and 49, mean 25: with eps = 0 the root is 5; with eps = 75 it is 10.
TEST(RmsNorm, SmallCasesByHand) {
  const Tensor x = matrix({{1, 7}}, DType::kFloat64);
  const Tensor gamma = vector({10, -10}, DType::kFloat64);
  EXPECT_THAT(rms_norm(x, gamma, 0).to_vector(), ElementsAre(2, testing::DoubleEq(-14)));
  EXPECT_THAT(rms_norm(x, {}, 75).to_vector(), ElementsAre(0.1, testing::DoubleEq(0.7)));
  EXPECT_THAT(rms_norm_with_statistics(x, {}, 75).rrms.to_vector(), ElementsAre(0.1));
  // xhat = (0.1, 0.7), g = (10, 0), mean(g xhat) = 0.5: dx = 0.1 (g - 0.5 xhat)
  const RmsNormGrads grads = gradients(x, gamma, 75, matrix({{1, 0}}, DType::kFloat64));
  EXPECT_NEAR(grads.dx.at({0, 0}), 0.995, 1e-15);
  EXPECT_NEAR(grads.dx.at({0, 1}), -0.035, 1e-15);
  EXPECT_THAT(grads.dgamma.to_vector(), ElementsAre(0.1, 0));
}

TEST(RmsNorm, RowsHaveMeanSquareOne) {
  Generator generator(3, "rows");
  const Tensor x = normal({5, 7, 33}, generator, DType::kFloat64) * 4.0 + 9.0;
  const Tensor y = rms_norm(x, {}, 0);
  for (const double value : mean(y * y, -1).to_vector()) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_EQ(test::difference(rms_norm(x * 2.0, {}, 0), y, 1e-14), "");
}

TEST(RmsNorm, SquaresPastFloat32DoNotOverflow) {
  EXPECT_THAT(rms_norm(vector({1e38, -1e38})).to_vector(), ElementsAre(1, -1));
  EXPECT_THAT(rms_norm(vector({1e-40, -1e-40}), {}, 0).to_vector(), ElementsAre(1, -1));
}

TEST(RmsNorm, ZerosInfinitiesAndNan) {
  const Tensor x = matrix({{0, 0}, {1, 1}, {std::nan(""), 1}, {kInf, 1}});
  const Tensor y = rms_norm(x, {}, 1e-6);
  EXPECT_THAT(select(y, 0, 0).to_vector(), Each(0));
  EXPECT_THAT(select(y, 0, 1).to_vector(), Each(testing::DoubleNear(1, 1e-6)));
  EXPECT_THAT(select(y, 0, 2).to_vector(), Each(IsNan()));
  EXPECT_THAT(select(y, 0, 3).to_vector(), ElementsAre(IsNan(), 0));
  EXPECT_THAT(rms_norm(zeros({2}), {}, 0).to_vector(), Each(IsNan()));
  const RmsNormGrads grads = gradients(x, {}, 1e-6, ones({4, 2}));
  EXPECT_THAT(select(grads.dx, 0, 0).to_vector(), Each(testing::DoubleNear(1000, 1e-2)));
  EXPECT_THAT(slice(grads.dx, 0, 2, 4).to_vector(), Each(IsNan()));
}

TEST(RmsNorm, EmptyTensors) {
  EXPECT_EQ(rms_norm(zeros({0, 3}), ones({3})).shape(), Shape({0, 3}));
  EXPECT_EQ(rms_norm(zeros({2, 0}), zeros({0})).shape(), Shape({2, 0}));
  EXPECT_EQ(gradients(zeros({2, 0}), {}, 1e-6, zeros({2, 0})).dgamma.shape(), Shape({0}));
  EXPECT_THAT(gradients(zeros({0, 2}), {}, 1e-6, zeros({0, 2})).dgamma.to_vector(),
              ElementsAre(0, 0));
}

TEST(RmsNormError, NamesOpAndOperands) {
  const Tensor x = matrix({{1, 2, 3}, {4, 5, 6}});
  const std::uint64_t version = x.version();
  EXPECT_THAT([&] { rms_norm(x, ones({2})); },
              ThrowsMessage<ShapeError>(
                  "rms_norm: expected gamma.shape == [3], got [2]; x=[2, 3] gamma=[2]"));
  EXPECT_THAT([&] { rms_norm(x, ones({3}, DType::kFloat64)); },
              ThrowsMessage<std::invalid_argument>("rms_norm: expected one dtype for x and gamma, "
                                                   "got float32 and float64; x=[2, 3] gamma=[3]"));
  EXPECT_THAT([&] { rms_norm(x, {}, -1); },
              ThrowsMessage<std::invalid_argument>(
                  "rms_norm: expected a finite eps >= 0, got -1; x=[2, 3]"));
  EXPECT_THAT([&] { rms_norm(zeros({})); },
              ThrowsMessage<ShapeError>("rms_norm: expected x with ndim >= 1, got 0; x=[]"));
  EXPECT_THAT([&] { rms_norm(arange(0, 3)); },
              ThrowsMessage<std::invalid_argument>(
                  "rms_norm: expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT([] { rms_norm(Tensor()); }, ThrowsMessage<std::invalid_argument>(
                                              "rms_norm: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { rms_norm_backward(x, {}, zeros({2}), x); },
              ThrowsMessage<ShapeError>("rms_norm_backward: expected rrms [2] float64, got [2] "
                                        "float32; x=[2, 3] rrms=[2]"));
  EXPECT_THAT([&] { rms_norm_backward(x, {}, zeros({2}, DType::kFloat64), zeros({3})); },
              ThrowsMessage<ShapeError>("rms_norm_backward: expected dy.shape == x.shape, got [3] "
                                        "and [2, 3]; x=[2, 3] dy=[3]"));
  EXPECT_EQ(x.version(), version);
}

}  // namespace
}  // namespace gradwalk
