#include "autograd/trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "tensor/allocator.h"
#include "tensor/create.h"

namespace gradwalk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Recorder : public TraceObserver {
 public:
  void on_forward(const ForwardStep& step) override {
    std::string line = fmt::format("{}(", step.op);
    for (const Variable& input : step.inputs) line += input.shape().str();
    forward.push_back(fmt::format("{}) {}", line, step.output.shape().str()));
    results.push_back(step.output);
  }
  void on_backward(const BackwardStep& step) override {
    std::string line = step.op;
    for (const Variable& input : step.inputs) line += fmt::format(" {}", input.shape().str());
    backward.push_back(line);
    values.push_back(step.output);
    dys.push_back(step.dy);
    dxs.emplace_back(step.dx.begin(), step.dx.end());
  }

  std::vector<std::string> forward, backward;
  std::vector<Variable> results;
  std::vector<Tensor> values, dys;
  std::vector<std::vector<Tensor>> dxs;
};

TEST(Trace, SeesEachOpForwardAndBackwardInOrder) {
  Recorder recorder;
  const Variable a = parameter(vector({1, 2}));
  const Variable b = parameter(scalar(3));
  {
    const TraceScope scope(recorder);
    backward(sum(a * b + 1.0));
  }
  EXPECT_THAT(recorder.forward, ElementsAre("mul([2][]) [2]", "add([2]) [2]", "sum([2]) []"));
  EXPECT_THAT(recorder.backward, ElementsAre("sum [2]", "add [2]", "mul [2] []"));
}

TEST(Trace, SeesValuesAndGradients) {
  Recorder recorder;
  const Variable a = parameter(vector({1, 2}));
  const Variable b = parameter(scalar(3));
  {
    const TraceScope scope(recorder);
    backward(sum(a * b));
  }
  EXPECT_THAT(recorder.results[0].value().to_vector(), ElementsAre(3, 6));
  EXPECT_STREQ(recorder.results[0].op(), "mul");
  ASSERT_EQ(recorder.dxs.size(), 2U);
  EXPECT_EQ(recorder.values[0].item(), 9);
  EXPECT_EQ(recorder.dys[0].item(), 1);
  EXPECT_THAT(recorder.dxs[0][0].to_vector(), ElementsAre(1, 1));
  EXPECT_THAT(recorder.dys[1].to_vector(), ElementsAre(1, 1));
  ASSERT_EQ(recorder.dxs[1].size(), 2U);
  EXPECT_THAT(recorder.dxs[1][0].to_vector(), ElementsAre(3, 3));
  EXPECT_EQ(recorder.dxs[1][1].item(), 3);
}

// The gradient that arrives is the sum over all consumers.
TEST(Trace, BackwardStepHasTheWholeGradient) {
  Recorder recorder;
  const Variable x = parameter(scalar(2));
  const TraceScope scope(recorder);
  const Variable y = x * x;
  backward(y * 3.0 + y * 4.0);
  EXPECT_EQ(recorder.backward.back(), "mul [] []");
  EXPECT_EQ(recorder.dys.back().item(), 7);
}

// What the observer keeps is not what the leaf's gradient lives in.
TEST(Trace, KeptGradientsAreNotTheLeafs) {
  Recorder recorder;
  const Variable x = parameter(scalar(2));
  const TraceScope scope(recorder);
  backward(x * 3.0);
  EXPECT_NE(recorder.dxs[0][0].storage().get(), x.grad().storage().get());
}

TEST(Trace, ScopesNestAndEnd) {
  Recorder outer;
  Recorder inner;
  const Variable x = parameter(scalar(2));
  EXPECT_EQ(trace_observer(), nullptr);
  {
    const TraceScope outer_scope(outer);
    exp(x);
    {
      const TraceScope inner_scope(inner);
      log(x);
    }
    neg(x);
  }
  sqrt(x);
  EXPECT_THAT(outer.forward, ElementsAre("exp([]) []", "neg([]) []"));
  EXPECT_THAT(inner.forward, ElementsAre("log([]) []"));
  EXPECT_EQ(trace_observer(), nullptr);
}

TEST(Trace, SeesOpsThatAreNotRecorded) {
  Recorder recorder;
  const TraceScope scope(recorder);
  const NoGrad guard;
  exp(parameter(scalar(2)));
  EXPECT_THAT(recorder.forward, ElementsAre("exp([]) []"));
}

TEST(Trace, HoldsForItsThreadOnly) {
  Recorder recorder;
  const TraceScope scope(recorder);
  std::thread([] { exp(parameter(scalar(2))); }).join();
  EXPECT_THAT(recorder.forward, IsEmpty());
}

TEST(Trace, ObserverKeepsNothingAlive) {
  const std::int64_t live = memory_stats().used_blocks;
  {
    TraceObserver silent;
    const TraceScope scope(silent);
    const Variable x = parameter(scalar(2));
    backward(exp(x) * x);
  }
  EXPECT_EQ(memory_stats().used_blocks, live);
}

}  // namespace
}  // namespace gradwalk
