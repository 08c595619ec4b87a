#include "autograd/cross_entropy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/inplace.h"

// Central differences: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::SizeIs;
using testing::ThrowsMessage;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor ids = matrix({{0, 2}, {3, 3}}, DType::kInt64);
  ops.push_back({"cross_entropy",
                 "batches",
                 [ids](test::OpInputs in) { return cross_entropy(in[0], ids); },
                 {test::random({2, 2, 4})},
                 false});
  const Tensor id = scalar(1, DType::kInt64);
  ops.push_back({"cross_entropy",
                 "one row",
                 [id](test::OpInputs in) { return cross_entropy(in[0], id); },
                 {test::random({3})},
                 false});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"cross_entropy", {test::wide()}, [](test::OpInputs in) {
                     return cross_entropy(in[0], test::drawn_ids({1031}, 517));
                   }});
});

TEST(CrossEntropyGrad, IsProbabilitiesMinusTargetsOverRows) {
  const Variable logits = parameter(zeros({2, 2}, DType::kFloat64));
  backward(cross_entropy(logits, vector({0, 1}, DType::kInt64)) * 3.0);
  EXPECT_THAT(logits.grad().to_vector(), ElementsAre(-0.75, 0.75, 0.75, -0.75));
}

// The gradient of an infinite loss was NaN where the probability of the target underflows. The
// gradient itself does not (BR-04).
TEST(CrossEntropyGrad, OfAVeryUnlikelyTarget) {
  const Variable logits = parameter(matrix({{0, -150, 2}}));
  backward(cross_entropy(logits, vector({1}, DType::kInt64)));
  EXPECT_THAT(logits.grad().to_vector(),
              ElementsAre(DoubleNear(0.119202922022, 2e-7), -1, DoubleNear(0.880797077978, 1e-6)));
}

TEST(CrossEntropyGrad, OfNoRowsIsEmpty) {
  const Variable logits = parameter(zeros({0, 3}));
  backward(cross_entropy(logits, vector({}, DType::kInt64)));
  EXPECT_THAT(logits.grad().to_vector(), SizeIs(0));
}

// An operand that is written to between forward and backward must not change the gradient without a
// word. Here it is made with the loss, so a change afterwards cannot spoil it (BR-09).
TEST(CrossEntropyGrad, IsThatOfTheForwardWhateverIsWrittenLater) {
  const Variable logits = parameter(zeros({2, 2}));
  const Tensor targets = vector({0, 1}, DType::kInt64);
  const Variable loss = cross_entropy(logits, targets);
  fill(targets, 0);
  fill(logits.value(), 7);
  backward(loss);
  EXPECT_THAT(logits.grad().to_vector(), ElementsAre(-0.25, 0.25, 0.25, -0.25));
}

// The gradient that the rule keeps is handed out once; nothing that is done to it comes back.
TEST(CrossEntropyGrad, AddsUpOverTwoLosses) {
  const Variable logits = parameter(zeros({1, 2}, DType::kFloat64));
  const Tensor targets = vector({0}, DType::kInt64);
  backward(cross_entropy(logits, targets));
  backward(cross_entropy(logits, targets));
  EXPECT_THAT(logits.grad().to_vector(), ElementsAre(-1, 1));
  const Variable once = parameter(zeros({1, 2}, DType::kFloat64));
  const Variable loss = cross_entropy(once, targets);
  backward(loss + loss + loss * 0.5);
  EXPECT_THAT(once.grad().to_vector(), ElementsAre(-1.25, 1.25));
}

TEST(CrossEntropyError, IsThatOfTheValue) {
  EXPECT_THAT(
      [] {
        cross_entropy(parameter(zeros({1, 3})), vector({3}, DType::kInt64));
      },
      ThrowsMessage<std::out_of_range>("cross_entropy: expected targets in [0, 3), got 3 at "
                                       "[0]; logits=[1, 3] targets=[1]"));
  EXPECT_THROW(cross_entropy(parameter(zeros({1, 3})), Tensor()), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk
