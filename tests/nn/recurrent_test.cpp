#include "nn/recurrent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/layout.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr RecurrentOptions kOptions{.dtype = DType::kFloat64};

Tensor random(const Shape& shape, std::uint64_t seed = 3) {
  Generator generator(seed, "recurrent");
  return normal(shape, generator, DType::kFloat64);
}

// Biases begin at 0, which would hide a missing one.
void randomise(const Module& module) {
  std::uint64_t seed = 20;
  for (const Variable& parameter : module.parameters()) {
    copy_into(parameter.value(), random(parameter.shape(), seed++));
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Element by element, on plain numbers.
class ByHand {
 public:
  ByHand(const Module& module, std::int64_t features, std::int64_t hidden)
      : features_(features), hidden_(hidden) {
    for (const Variable& p : module.parameters()) p_.push_back(p.value());
  }
  double from_x(const Tensor& x, std::int64_t row) const {
    double sum = p_[2].at({row});
    for (std::int64_t i = 0; i < features_; ++i) sum += p_[0].at({row, i}) * x.at({i});
    return sum;
  }
  double from_h(const std::vector<double>& h, std::int64_t row) const {
    double sum = p_[3].at({row});
    for (std::int64_t i = 0; i < hidden_; ++i) {
      sum += p_[1].at({row, i}) * h[static_cast<std::size_t>(i)];
    }
    return sum;
  }

 private:
  std::int64_t features_, hidden_;
  std::vector<Tensor> p_;
};

template <class Next>
void expect_steps(const Tensor& got, const Tensor& x, Next next) {
  for (std::int64_t b = 0; b < x.shape()[0]; ++b) {
    std::vector<double> h(static_cast<std::size_t>(got.shape()[2]));
    for (std::int64_t t = 0; t < x.shape()[1]; ++t) {
      h = next(select(select(x, 0, b), 0, t), h);
      for (std::size_t i = 0; i < h.size(); ++i) {
        EXPECT_NEAR(got.at({b, t, static_cast<std::int64_t>(i)}), h[i], 1e-12);
      }
    }
  }
}

TEST(Rnn, IsItsFormula) {
  const Rnn rnn(3, 4, Seed(1), kOptions);
  randomise(rnn);
  const Tensor x = random({2, 5, 3});
  const ByHand hand(rnn, 3, 4);
  expect_steps(rnn(x).value(), x, [&](const Tensor& in, const std::vector<double>& h) {
    std::vector<double> y;
    for (std::int64_t i = 0; i < 4; ++i) {
      y.push_back(std::tanh(hand.from_x(in, i) + hand.from_h(h, i)));
    }
    return y;
  });
}

TEST(Gru, IsItsFormula) {
  const Gru gru(3, 4, Seed(1), kOptions);
  EXPECT_EQ(gru.named_parameters()[1].name, "weight_hh");
  EXPECT_EQ(gru.named_parameters()[1].variable.shape(), Shape({12, 4}));
  randomise(gru);
  const Tensor x = random({2, 5, 3});
  const ByHand hand(gru, 3, 4);
  expect_steps(gru(x).value(), x, [&](const Tensor& in, const std::vector<double>& h) {
    std::vector<double> y;
    for (std::int64_t i = 0; i < 4; ++i) {
      const double r = sigmoid(hand.from_x(in, i) + hand.from_h(h, i));
      const double z = sigmoid(hand.from_x(in, 4 + i) + hand.from_h(h, 4 + i));
      const double n = std::tanh(hand.from_x(in, 8 + i) + r * hand.from_h(h, 8 + i));
      y.push_back((1 - z) * n + z * h[static_cast<std::size_t>(i)]);
    }
    return y;
  });
}

// The last state of one part begins the next.
TEST(Recurrent, GoesOnFromAState) {
  const Gru gru(3, 4, Seed(1), kOptions);
  randomise(gru);
  const Variable x = random({2, 5, 3});
  const Variable whole = gru(x);
  const Variable first = gru(slice(x, 1, 0, 2));
  const Variable second = gru(slice(x, 1, 2, 5), select(first, 1, 1));
  EXPECT_EQ(test::difference(second.value(), slice(whole, 1, 2, 5).value(), 1e-13), "");
}

TEST(Recurrent, GradientsThroughTime) {
  const Rnn rnn(2, 3, Seed(1), kOptions);
  const Gru gru(2, 3, Seed(1), kOptions);
  randomise(rnn);
  randomise(gru);
  for (const Recurrent* layer :
       {static_cast<const Recurrent*>(&rnn), static_cast<const Recurrent*>(&gru)}) {
    const GradCheckReport report =
        grad_check("recurrent", [&](const auto& in) { return (*layer)(in[0], in[1]); },
                   {random({2, 3, 2}), random({2, 3}, 4)});
    EXPECT_TRUE(report.ok) << report.message;
    EXPECT_EQ(report.entries, 12 + 6);
  }
}

TEST(Recurrent, OrthogonalGateByGate) {
  RecurrentOptions options = kOptions;
  options.hidden_init = Init{InitScheme::kOrthogonal, 1};
  const Gru gru(3, 4, Seed(1), options);
  for (std::int64_t gate = 0; gate < 3; ++gate) {
    const Tensor w = slice(gru.parameters()[1].value(), 0, 4 * gate, 4 * gate + 4);
    EXPECT_EQ(test::difference(matmul(w, transpose(w)), eye(4, DType::kFloat64), 0, 1e-12), "");
  }
}

TEST(RecurrentError, Texts) {
  const Rnn rnn(3, 4, Seed(1), kOptions);
  EXPECT_THAT(
      [&] {
        rnn(random({2, 5, 4}));
      },
      ThrowsMessage<ShapeError>(
          "Rnn: expected x [B, T, 3] with T >= 1, got [2, 5, 4]; x=[2, 5, 4]"));
  EXPECT_THAT(
      [&] {
        rnn(random({2, 5, 3}), random({4}));
      },
      ThrowsMessage<ShapeError>("Rnn: expected h0 [2, 4], got [4]; x=[2, 5, 3] h0=[4]"));
  EXPECT_THAT([] { Gru(0, 4, Seed(1)); },
              ThrowsMessage<std::invalid_argument>(
                  "Gru: expected features >= 1 and hidden >= 1, got 0 and 4"));
}

}  // namespace
}  // namespace gradwalk::nn
