#include "autograd/logsumexp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/gradient_table.h"
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

using Inputs = std::vector<Variable>;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto add = [&](const char* how, auto f) {
    ops.push_back({"logsumexp", how, f, {test::random({2, 3, 4})}, true});
  };
  add("all", [](test::OpInputs in) { return logsumexp(in[0]); });
  add("two", [](test::OpInputs in) { return logsumexp(in[0], Axes{0, -1}, false); });
  add("kept", [](test::OpInputs in) { return logsumexp(in[0], 1, true); });
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back(
      {"logsumexp", {test::wide()}, [](test::OpInputs in) { return logsumexp(in[0], -1); }});
});

TEST(LogsumexpGrad, MatchesCentralDifference) {
  Generator gen(1, "logsumexp");
  const auto draw = [&](const Shape& shape) { return normal(shape, gen, DType::kFloat64); };
  const std::vector<Tensor> layouts = {draw({3, 5}), transpose(draw({5, 3})),
                                       slice(draw({2, 3, 10}), 2, 1, 10, 2),
                                       expand(draw({4, 1}), {4, 3})};
  for (const Tensor& x : layouts) {
    expect_gradient("logsumexp", [](const Inputs& in) { return logsumexp(in[0]); }, {x});
    expect_gradient("logsumexp", [](const Inputs& in) { return logsumexp(in[0], -2); }, {x});
    expect_gradient("logsumexp",
                    [](const Inputs& in) {
                      return logsumexp(in[0], {-1, 0}, true);
                    },
                    {x});
  }
  // log softmax by hand, with x twice in it
  expect_gradient("logsumexp", [](const Inputs& in) { return in[0] - logsumexp(in[0], -1, true); },
                  {layouts[1]});
}

// A maximum of -inf, once subtracted, made NaN of the gradient of a fully masked row. It is zeros;
// that of (-inf, 2.5) goes to the second alone (BR-05).
TEST(LogsumexpGrad, MaskedEntriesBr05) {
  const nlohmann::json report = test::bug_report("BR-05");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable second = parameter(test::tensor_from(report["inputs"]["vectors"][1]));
  backward(logsumexp(second));
  EXPECT_EQ(
      test::difference(second.grad(), test::tensor_from(report["expected"]["grad_of_second"]), 0),
      "");
  const Variable first = parameter(test::tensor_from(report["inputs"]["vectors"][0]));
  backward(logsumexp(first));
  EXPECT_THAT(first.grad().to_vector(), ElementsAre(0, 0));
}

TEST(LogsumexpGrad, EmptyInput) {
  const Variable x = parameter(zeros({2, 0}));
  backward(logsumexp(x, 1), ones({2}));
  EXPECT_EQ(x.grad().shape(), Shape({2, 0}));
}

TEST(LogsumexpGrad, StaleInputNamesTheOp) {
  const Variable x = parameter(vector({1, 2, 3}));
  const Variable y = logsumexp(x);
  fill(x.value(), 0);
  EXPECT_THAT([&] { backward(y); },
              ThrowsMessage<std::logic_error>("logsumexp: expected the value saved for backward "
                                              "unchanged, got 1 in-place write since; saved=[3]"));
  EXPECT_THAT(
      [] { logsumexp(Variable()); },
      ThrowsMessage<std::invalid_argument>("logsumexp: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
