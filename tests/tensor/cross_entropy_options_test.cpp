// ignore_index, label smoothing and the reduction; cross_entropy_test.cpp has the plain loss.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/cross_entropy.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/reference/cross_entropy.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr LossReduction kSum = LossReduction::kSum;

Tensor ids(std::initializer_list<double> values) { return vector(values, DType::kInt64); }

CrossEntropyOptions random_options(RandomCase& c, std::int64_t classes) {
  CrossEntropyOptions options;
  switch (c.below(4)) {
    case 0:
      options.ignore_index = std::nullopt;
      break;
    case 1:
      options.ignore_index = c.below(classes);  // one of the classes
      break;
    case 2:
      options.ignore_index = 1000;
      break;
    default:
      break;
  }
  constexpr double kSmoothings[] = {0, 0, 0.1, 0.5, 1};
  options.label_smoothing = kSmoothings[c.below(5)];
  if (c.below(2) == 0) options.reduction = kSum;
  return options;
}

// Some of them ignored, in one case of eight all.
Tensor random_targets(RandomCase& c, const Shape& logits, const CrossEntropyOptions& options) {
  const Shape shape(std::span<const std::int64_t>(logits.begin(), logits.end() - 1));
  const std::int64_t one_in = c.below(8) == 0 ? 1 : 4;
  std::vector<double> targets;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    const bool ignored = options.ignore_index && c.below(one_in) == 0;
    targets.push_back(static_cast<double>(ignored ? *options.ignore_index : c.below(logits[-1])));
  }
  return from_vector(targets, shape, DType::kInt64);
}

// Each row is a log-sum of at most log V and gaps of at most twice the largest logit; all of it is
// added up in float64 and rounded once. The log-sum is off by log V + 4 units of the dtype
// (cross_entropy_test.cpp says why).
TEST(CrossEntropyOptions, EqualsTheReference) {
  for_each_case("cross_entropy options", 420, [](RandomCase& c) {
    const Tensor logits = c.tensor(c.shape(1, 3));
    if (logits.shape()[-1] == 0) return;
    const CrossEntropyOptions options = random_options(c, logits.shape()[-1]);
    const Tensor targets = random_targets(c, logits.shape(), options);
    const auto rows = static_cast<double>(targets.numel());
    const Tensor want = reference::cross_entropy(logits, targets, options);
    const double size = logits.numel() == 0 ? 0 : max(test::finite_sizes(logits)).item();
    const Tensor sizes = scalar(rows * (2 * size + 10), DType::kFloat64);
    const auto classes = static_cast<double>(logits.shape()[-1]);
    const double terms = classes + rows + 4;
    EXPECT_EQ(test::difference(cross_entropy(logits, targets, options), want,
                               test::sum_bound(sizes, DType::kFloat64, terms) +
                                   test::sum_bound(scalar(rows, DType::kFloat64), c.dtype(),
                                                   4 + std::log(classes)) +
                                   test::sum_bound(test::finite_sizes(want), c.dtype(), 1)),
              "");
  });
}

TEST(CrossEntropyOptions, BackwardEqualsTheReference) {
  for_each_case("cross_entropy_backward options", 420, [](RandomCase& c) {
    const Tensor logits = c.tensor(c.shape(1, 3));
    if (logits.shape()[-1] == 0) return;
    const CrossEntropyOptions options = random_options(c, logits.shape()[-1]);
    const Tensor targets = random_targets(c, logits.shape(), options);
    const Tensor dy = scalar(c.generator().normal(), c.dtype());
    const Tensor want = reference::cross_entropy_backward(logits, targets, dy, options);
    const Tensor sizes = full(logits.shape(), std::abs(dy.item()), DType::kFloat64);
    const auto classes = static_cast<double>(logits.shape()[-1]);
    // As in cross_entropy_test.cpp, for p <= 1 and p log(1 / p) <= 1/2.
    EXPECT_EQ(test::difference(cross_entropy_backward(logits, targets, dy, options), want,
                               test::sum_bound(sizes, DType::kFloat64, classes + 4) +
                                   test::sum_bound(sizes, c.dtype(), std::log(classes) + 11) +
                                   test::sum_bound(test::finite_sizes(want), c.dtype(), 1)),
              "");
  });
}

// A mean over no targets divided 0 by 0, and one batch of padding made every weight NaN. The sum
// and the mean are 0, and so is every entry of the gradient (BR-02).
TEST(CrossEntropyOptions, AllTargetsIgnored) {
  const auto report = test::bug_report("BR-02");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const Tensor logits = test::tensor_from(in["logits"]);
  const Tensor targets = test::tensor_from(in["targets"], DType::kInt64);
  for (const LossReduction reduction : {LossReduction::kMean, kSum}) {
    const CrossEntropyOptions options{in["ignore_index"].get<std::int64_t>(), 0, reduction};
    EXPECT_EQ(cross_entropy(logits, targets, options).item(), 0);
    const Tensor dx = cross_entropy_backward(logits, targets, scalar(1, DType::kFloat64), options);
    EXPECT_EQ(dx.shape(), logits.shape());
    EXPECT_THAT(dx.to_vector(), Each(0));
  }
}

// Label smoothing added its even share in rows that are ignored too, so padding had a gradient. An
// ignored target has no part in the share and none in the divisor (BR-03).
TEST(CrossEntropyOptions, SmoothingLeavesIgnoredTargetsOut) {
  const auto report = test::bug_report("BR-03");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const CrossEntropyOptions options{.label_smoothing = in["label_smoothing"].get<double>()};
  const Tensor targets = test::tensor_from(in["targets"], DType::kInt64);
  const auto& expected = report["expected"];
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const double rtol = dtype == DType::kFloat64 ? 1e-9 : 1e-5;
    const double atol = dtype == DType::kFloat64 ? 1e-11 : 1e-6;
    const Tensor logits = test::tensor_from(in["logits"], dtype);
    EXPECT_EQ(test::difference(cross_entropy(logits, targets, options),
                               test::tensor_from(expected["loss"]), rtol, atol),
              "");
    const Tensor dx = cross_entropy_backward(logits, targets, scalar(1, dtype), options);
    EXPECT_EQ(test::difference(dx, test::tensor_from(expected["grad_logits"]), rtol, atol), "");
    EXPECT_THAT(select(dx, 0, 1).to_vector(), Each(0));
  }
}

// A loss as the logarithm of a probability was infinite for a very unlikely target: exp(-152) is 0
// in float32 (BR-04).
TEST(CrossEntropyOptions, VeryUnlikelyTarget) {
  const auto report = test::bug_report("BR-04");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor logits = test::tensor_from(report["inputs"]["logits"], DType::kFloat32);
  const Tensor targets = test::tensor_from(report["inputs"]["targets"], DType::kInt64);
  const auto& expected = report["expected"];
  EXPECT_EQ(test::difference(cross_entropy(logits, targets), test::tensor_from(expected["loss"]),
                             1e-6, 1e-7),
            "");
  EXPECT_EQ(test::difference(cross_entropy_backward(logits, targets, scalar(1)),
                             test::tensor_from(expected["grad_logits"]), 1e-6, 1e-7),
            "");
}

TEST(CrossEntropyOptions, SmallCasesByHand) {
  const double ln2 = std::log(2.0);
  const Tensor logits = zeros({3, 2}, DType::kFloat64);
  EXPECT_NEAR(cross_entropy(logits, ids({0, -100, 1}), {.reduction = kSum}).item(), 2 * ln2, 1e-15);
  EXPECT_NEAR(cross_entropy(logits, ids({0, -100, 1})).item(), ln2, 1e-15);
  EXPECT_NEAR(cross_entropy(logits, ids({0, 1, 1}), {.ignore_index = 0}).item(), ln2, 1e-15);
  // p = (1/4, 3/4) and e = 0.2: the target is (0.9, 0.1), so dx = (-0.65, 0.65).
  const Tensor row = matrix({{0, std::log(3.0)}}, DType::kFloat64);
  const CrossEntropyOptions smooth{.label_smoothing = 0.2, .reduction = kSum};
  EXPECT_NEAR(cross_entropy(row, ids({0}), smooth).item(),
              -0.9 * std::log(0.25) - 0.1 * std::log(0.75), 1e-15);
  EXPECT_THAT(cross_entropy_backward(row, ids({0}), scalar(1, DType::kFloat64), smooth).to_vector(),
              ElementsAre(testing::DoubleNear(-0.65, 1e-15), testing::DoubleNear(0.65, 1e-15)));
}

// Decisions beside the range of numbers: -inf is a class that cannot be; a row of them cannot be
// asked for anything, which costs +inf and moves nothing.
TEST(CrossEntropyOptions, MaskedClassesAndRows) {
  const Tensor one = scalar(1, DType::kFloat64);
  const Tensor masked = matrix({{0, -kInf}, {-kInf, -kInf}}, DType::kFloat64);
  EXPECT_EQ(cross_entropy(masked, ids({0, -100})).item(), 0);
  EXPECT_EQ(cross_entropy(masked, ids({1, -100})).item(), kInf);
  EXPECT_EQ(cross_entropy(masked, ids({0, -100}), {.label_smoothing = 0.1}).item(), kInf);
  EXPECT_EQ(cross_entropy(masked, ids({0, 1})).item(), kInf);
  EXPECT_EQ(cross_entropy(masked, ids({0, 1}), {.label_smoothing = 1}).item(), kInf);
  const Tensor dx = cross_entropy_backward(masked, ids({1, 1}), one, {.reduction = kSum});
  EXPECT_THAT(dx.to_vector(), ElementsAre(1, -1, 0, 0));
}

TEST(CrossEntropyOptions, NanInAnIgnoredRowIsNotSeen) {
  const Tensor logits = matrix({{0, 0}, {std::nan(""), 0}}, DType::kFloat64);
  EXPECT_NEAR(cross_entropy(logits, ids({0, -100})).item(), std::log(2.0), 1e-15);
  EXPECT_TRUE(std::isnan(cross_entropy(logits, ids({-100, 1})).item()));
  const Tensor one = scalar(1, DType::kFloat64);
  EXPECT_THAT(cross_entropy_backward(logits, ids({0, -100}), one).to_vector(),
              ElementsAre(-0.5, 0.5, 0, 0));
}

TEST(CrossEntropyOptionsError, SaysWhatIsWrong) {
  for (const auto& [smoothing, text] :
       {std::pair{-0.1, "-0.1"}, {1.5, "1.5"}, {std::nan(""), "nan"}}) {
    EXPECT_THAT(
        [s = smoothing] {
          cross_entropy(zeros({1, 3}), ids({0}), {.label_smoothing = s});
        },
        ThrowsMessage<std::invalid_argument>(
            std::string("cross_entropy: expected label_smoothing in [0, 1], got ") + text +
            "; logits=[1, 3] targets=[1]"));
  }
  const std::string outside =
      "cross_entropy: expected targets in [0, 3), got -100 at [1]; logits=[2, 3] targets=[2]";
  for (const std::optional<std::int64_t> other : {std::optional<std::int64_t>(-1), {}}) {
    EXPECT_THAT(
        [&] {
          cross_entropy(zeros({2, 3}), ids({0, -100}), {.ignore_index = other});
        },
        ThrowsMessage<std::out_of_range>(outside));
  }
}

}  // namespace
}  // namespace gradwalk
