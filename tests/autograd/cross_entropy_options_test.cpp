#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "gradient_table.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::Each;
using Inputs = const std::vector<Variable>&;

constexpr LossReduction kSum = LossReduction::kSum;

Tensor random(const Shape& shape) {
  Generator generator(2, "cross_entropy");
  return normal(shape, generator, DType::kFloat64);
}

Tensor ids(std::initializer_list<double> values) { return vector(values, DType::kInt64); }

// Every combination of what may be ignored, smoothed and summed.
std::vector<CrossEntropyOptions> every_options() {
  std::vector<CrossEntropyOptions> all;
  for (const std::optional<std::int64_t> ignored : {std::optional<std::int64_t>(-100), {0}}) {
    for (const double smoothing : {0.0, 0.2, 1.0}) {
      for (const LossReduction reduction : {LossReduction::kMean, kSum}) {
        all.push_back({ignored, smoothing, reduction});
      }
    }
  }
  return all;
}

TEST(CrossEntropyOptionsGrad, OfEveryOption) {
  for (const CrossEntropyOptions& options : every_options()) {
    const double ignored = static_cast<double>(*options.ignore_index);
    const Tensor targets = ids({2, ignored, 1});
    const auto f = [&](Inputs in) { return cross_entropy(in[0], targets, options); };
    expect_gradient("cross_entropy", f, {random({3, 4})});
    expect_gradient("cross_entropy", f, {transpose(random({4, 3}))});
    expect_gradient("cross_entropy", f, {slice(random({3, 9}), 1, 1, 9, 2)});
    expect_gradient("cross_entropy", f, {expand(random({1, 4}), {3, 4})});
  }
}

TEST(CrossEntropyOptionsGrad, OfOneRowAndOfManyAxes) {
  const CrossEntropyOptions smooth{.label_smoothing = 0.1};
  expect_gradient("cross_entropy",
                  [&](Inputs in) { return cross_entropy(in[0], scalar(1, DType::kInt64), smooth); },
                  {random({5})});
  const Tensor targets = matrix({{0, -100}, {1, 0}, {1, 1}}, DType::kInt64);
  expect_gradient("cross_entropy", [&](Inputs in) { return cross_entropy(in[0], targets, smooth); },
                  {permute(random({2, 3, 2}), {1, 0, 2})});
  expect_gradient("cross_entropy",
                  [](Inputs in) {
                    return cross_entropy(in[0], ids({0, 0}));
                  },
                  {random({2, 1})});
}

// With one class only, or as part of more: the loss equals minus the mean of log_softmax at the
// targets, in value and gradient.
TEST(CrossEntropyOptionsGrad, EqualsTheComposition) {
  const Tensor value = random({3, 4});
  const Variable fused = parameter(clone(value));
  const Variable composed = parameter(clone(value));
  const Tensor hits = matrix({{0, 0, 1, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}}, DType::kFloat64);
  const Variable a = cross_entropy(fused, ids({2, -100, 1}));
  const Variable b = sum(mul(Variable(hits), log_softmax(composed, -1))) / -2.0;
  EXPECT_NEAR(a.value().item(), b.value().item(), 1e-15);
  backward(a);
  backward(b);
  EXPECT_EQ(test::difference(fused.grad(), composed.grad(), 1e-14, 1e-16), "");
}

// A mean over no targets made every gradient NaN, and the next step every weight. A step with this
// gradient leaves the parameters as they are (BR-02).
TEST(CrossEntropyOptionsGrad, OfNoTargetsIsZero) {
  const auto report = test::bug_report("BR-02");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor targets = test::tensor_from(report["inputs"]["targets"], DType::kInt64);
  for (const double smoothing : {0.0, 0.2}) {
    for (const LossReduction reduction : {LossReduction::kMean, kSum}) {
      const Variable logits = parameter(test::tensor_from(report["inputs"]["logits"]));
      const Variable loss =
          cross_entropy(logits, targets, {.label_smoothing = smoothing, .reduction = reduction});
      EXPECT_EQ(loss.value().item(), 0);
      backward(loss);
      EXPECT_THAT(logits.grad().to_vector(), Each(0));
    }
  }
}

// Label smoothing gave a gradient to rows that are ignored (BR-03).
TEST(CrossEntropyOptionsGrad, SmoothingLeavesIgnoredTargetsOut) {
  const auto report = test::bug_report("BR-03");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable logits = parameter(test::tensor_from(report["inputs"]["logits"]));
  const Tensor targets = test::tensor_from(report["inputs"]["targets"], DType::kInt64);
  backward(cross_entropy(logits, targets, {.label_smoothing = 0.2}));
  EXPECT_EQ(test::difference(logits.grad(), test::tensor_from(report["expected"]["grad_logits"]),
                             1e-9, 1e-11),
            "");
}

// An operand that is written to between forward and backward must not change the gradient without a
// word. Here it is made with the loss, so what is written afterwards, through a view or not, cannot
// spoil it (BR-09).
TEST(CrossEntropyOptionsGrad, IsThatOfTheForwardWhateverIsWrittenLater) {
  const Tensor start = random({2, 3});
  const auto gradient = [&start](bool spoil) {
    const Variable logits = parameter(clone(start));
    const Tensor targets = ids({0, 1});
    const Variable loss = cross_entropy(logits, targets, {.label_smoothing = 0.2});
    if (spoil) {
      add_into(select(logits.value(), 0, 1), 1);
      fill(targets, -100);
    }
    backward(loss);
    return logits.grad();
  };
  EXPECT_EQ(test::difference(gradient(true), gradient(false), 0), "");
}

}  // namespace
}  // namespace gradwalk
