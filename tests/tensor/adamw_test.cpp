#include "tensor/adamw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reference/adamw.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::difference;
using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::Each;
using testing::ThrowsMessage;

Tensor none_like(const Tensor& x) { return zeros(x.shape(), x.dtype()); }

// Means and squares have two products and a sum; the step has six roundings more, and the root
// halves what the square is off.
TEST(AdamWStep, EqualsTheReference) {
  for_each_case("adamw", 280, [](RandomCase& c) {
    const Shape shape = c.shape();
    const Tensor param = clone(c.tensor(shape, c.dtype(), Values::kPlain));
    const Tensor grad = c.tensor(shape, c.dtype(), Values::kPlain);
    const Tensor m = clone(c.tensor(shape, c.dtype(), Values::kPlain));
    const Tensor drawn = c.tensor(shape, c.dtype(), Values::kPlain);
    const Tensor v = drawn * drawn;
    AdamWOptions options;
    options.lr = 0.1;
    options.weight_decay = c.below(2) == 0 ? 0 : 0.5;
    options.eps = c.below(2) == 0 ? 1e-8 : 0.1;
    const std::int64_t step = 1 + c.below(1000);
    const reference::AdamWResult want = reference::adamw_step(param, grad, m, v, step, options);
    const Tensor mean_size = test::finite_sizes(m) + test::finite_sizes(grad);
    // The update is lr mean / root: what the mean is off comes through the quotient.
    const Tensor wide_root = sqrt(to(want.v, DType::kFloat64) /
                                  (1 - std::pow(options.beta2, static_cast<double>(step))));
    const Tensor update = mean_size *
                          (options.lr / (1 - std::pow(0.9, static_cast<double>(step)))) /
                          (wide_root + options.eps);
    adamw_step(param, grad, m, v, step, options);
    EXPECT_EQ(difference(m, want.m, test::sum_bound(mean_size, c.dtype(), 2)), "");
    EXPECT_EQ(difference(v, want.v, test::sum_bound(test::finite_sizes(want.v), c.dtype(), 4)), "");
    EXPECT_EQ(difference(param, want.param,
                         test::sum_bound(test::finite_sizes(param) + update, c.dtype(), 8)),
              "");
  });
}

TEST(AdamWStep, ManyElementsGiveTheSameBitsForAnyNumberOfThreads) {
  Generator generator(4, "adamw");
  const Tensor start = normal({300'001}, generator);
  const Tensor grad = normal({300'001}, generator);
  const int before = num_threads();
  Tensor results[2];
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    const Tensor param = clone(start);
    const Tensor m = none_like(start);
    const Tensor v = none_like(start);
    adamw_step(param, grad, m, v, 1);
    adamw_step(param, grad, m, v, 2);
    results[threads - 1] = param;
  }
  set_num_threads(before);
  EXPECT_EQ(difference(results[0], results[1], 0), "");
  const Tensor none = none_like(start);
  const Tensor once = reference::adamw_step(start, grad, none, none, 1, {}).param;
  EXPECT_EQ(difference(results[0], once, 0, 1.1e-3), "");  // the second step is lr at most
}

// An update that counted steps from 0 divided by 1 - beta^0 = 0, and one with eps inside the root
// took other steps, which a small eps hides (BR-30).
TEST(AdamWStep, BiasCorrectionAndEps) {
  const auto report = test::bug_report("BR-30");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor w = test::tensor_from(in["parameter"], dtype);
    const Tensor m = none_like(w);
    const Tensor v = none_like(w);
    AdamWOptions options;
    options.lr = in["lr"];
    options.eps = in["eps"];
    options.weight_decay = in["weight_decay"];
    for (std::size_t i = 0; i < in["gradients"].size(); ++i) {
      const Tensor grad = test::tensor_from(in["gradients"][i], dtype);
      adamw_step(w, grad, m, v, static_cast<std::int64_t>(i) + 1, options);
      EXPECT_NEAR(w.item(), report["expected"]["parameter_after_each_step"][i].get<double>(),
                  dtype == DType::kFloat64 ? 1e-11 : 1e-6);
    }
  }
}

// Through a transposed view, as Sgd's steps go: the tensor below it moves.
TEST(AdamWStep, WritesThroughAView) {
  const Tensor below = matrix({{1, 2, 3}, {4, 5, 6}});
  const Tensor copy = clone(transpose(below));
  const Tensor grad = matrix({{1, -1}, {2, 0}, {-3, 4}});
  adamw_step(transpose(below), grad, zeros({3, 2}), zeros({3, 2}), 1);
  adamw_step(copy, grad, zeros({3, 2}), zeros({3, 2}), 1);
  EXPECT_EQ(difference(transpose(below), copy, 0), "");
  EXPECT_NE(below.at({0, 0}), 1);
}

TEST(AdamWStep, RaisesTheVersion) {
  const Tensor w = ones({2});
  const std::uint64_t version = w.version();
  adamw_step(w, ones({2}), zeros({2}), zeros({2}), 1);
  EXPECT_GT(w.version(), version);
}

TEST(AdamWStep, NanStaysWhereItIs) {
  const Tensor w = ones({3});
  adamw_step(w, vector({1, std::nan(""), 1}), zeros({3}), zeros({3}), 1);
  EXPECT_TRUE(std::isfinite(w.at({0})));
  EXPECT_TRUE(std::isnan(w.at({1})));
  EXPECT_TRUE(std::isfinite(w.at({2})));
}

TEST(AdamWStep, EmptyTensors) {
  adamw_step(zeros({0, 2}), zeros({0, 2}), zeros({0, 2}), zeros({0, 2}), 1);
}

TEST(AdamWStepError, NamesOperandsAndWritesNothing) {
  const Tensor w = ones({2, 3});
  const Tensor m = zeros({2, 3});
  const Tensor v = zeros({2, 3});
  const auto with = [&](const Tensor& grad, const Tensor& mean, const Tensor& square) {
    return [=] { adamw_step(w, grad, mean, square, 1); };
  };
  EXPECT_THAT(with(ones({3}), m, v),
              ThrowsMessage<ShapeError>("adamw_step: expected grad.shape == param.shape, got [3] "
                                        "and [2, 3]; param=[2, 3] grad=[3]"));
  EXPECT_THAT(with(ones({2, 3}, DType::kFloat64), m, v),
              ThrowsMessage<std::invalid_argument>(
                  "adamw_step: expected one dtype for param and grad, got float32 and float64; "
                  "param=[2, 3] grad=[2, 3]"));
  EXPECT_THAT(with(ones({2, 3}), m, zeros({2})),
              ThrowsMessage<ShapeError>("adamw_step: expected v.shape == param.shape, got [2] and "
                                        "[2, 3]; param=[2, 3] v=[2]"));
  EXPECT_THAT(with(ones({2, 3}), transpose(zeros({3, 2})), v),
              ThrowsMessage<std::invalid_argument>("adamw_step: expected a contiguous m, got a "
                                                   "strided view; param=[2, 3] m=[2, 3]"));
  EXPECT_THROW(with(Tensor(), m, v)(), std::invalid_argument);
  EXPECT_THAT(
      [&] {
        adamw_step(expand(ones({1, 3}), {2, 3}), ones({2, 3}), m, v, 1);
      },
      ThrowsMessage<ShapeError>("adamw_step: expected a param whose elements have a place "
                                "each, got an expanded view, stride 0 at axis 0; "
                                "param=[2, 3]"));
  EXPECT_THAT(
      [&] {
        adamw_step(w, ones({2, 3}), m, v, 0);
      },
      ThrowsMessage<std::invalid_argument>("adamw_step: expected step >= 1, got 0"));
  EXPECT_THAT(w.to_vector(), Each(1));
  EXPECT_THAT(m.to_vector(), Each(0));
  EXPECT_EQ(m.version(), zeros({2, 3}).version());
}

TEST(AdamWStepError, Options) {
  const auto with = [](auto set) {
    return [set] {
      AdamWOptions options;
      set(options);
      check_options("AdamW", options);
    };
  };
  EXPECT_THAT(with([](AdamWOptions& o) { o.beta1 = 1; }),
              ThrowsMessage<std::invalid_argument>("AdamW: expected beta1 in [0, 1), got 1"));
  EXPECT_THAT(with([](AdamWOptions& o) { o.lr = -1; }),
              ThrowsMessage<std::invalid_argument>("AdamW: expected a finite lr >= 0, got -1"));
  EXPECT_THROW(with([](AdamWOptions& o) { o.beta2 = -0.1; })(), std::invalid_argument);
  EXPECT_THROW(with([](AdamWOptions& o) { o.eps = std::nan(""); })(), std::invalid_argument);
  EXPECT_THROW(with([](AdamWOptions& o) { o.weight_decay = HUGE_VAL; })(), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
