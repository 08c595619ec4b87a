// Nothing recurses over the graph, and nothing of it stays alive.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cmath>
#include <functional>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/reduce.h"
#include "support.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

namespace gradwalk {
namespace {

// A sanitizer makes each allocation some ten times slower: the chain is shorter there, the stack
// not.
constexpr int kOps = test::kSanitized ? 100000 : 1000000;

void with_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{256} * 1024), 0);
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &f), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

Variable chain(const Variable& x, int steps) {
  Variable y = x;
  for (int i = 0; i < steps; ++i) y = y * 0.99999 + 0.001;
  return y;
}

TEST(Chain, OfAMillionOpsGoesBackwardOnASmallStack) {
  const std::int64_t live = memory_stats().used_blocks;
  with_small_stack([] {
    const Variable x = parameter(scalar(1, DType::kFloat64));
    const Variable y = chain(x, kOps / 2);
    backward(y);
    const double want = std::pow(0.99999, kOps / 2);
    EXPECT_NEAR(x.grad().item() / want, 1, 1e-9);
  });
  EXPECT_EQ(memory_stats().used_blocks, live);
}

TEST(Chain, OfAMillionOpsIsReleasedWithoutBackwardOnASmallStack) {
  const std::int64_t live = memory_stats().used_blocks;
  with_small_stack([] { chain(parameter(scalar(1, DType::kFloat64)), kOps / 2); });
  EXPECT_EQ(memory_stats().used_blocks, live);
}

// Both inputs of each op come from the one before: the released nodes are found twice.
TEST(Chain, OfDiamondsIsReleasedOnASmallStack) {
  with_small_stack([] {
    Variable y = parameter(scalar(1, DType::kFloat64));
    for (int i = 0; i < kOps / 10; ++i) y = (y + y) * 0.5;
    backward(y);
  });
}

// Recursion overflowed the stack on long graphs: in the sort, in backward, or as one node destroys
// the next. This chain has 100000 steps, 200000 nodes (BR-13).
TEST(Chain, HasTheRightValueAndGradient) {
  const Variable x = parameter(scalar(1, DType::kFloat64));
  const Variable y = chain(x, 100000);
  EXPECT_NEAR(y.value().item() / 63.5801174251, 1, 1e-9);
  backward(y);
  EXPECT_NEAR(x.grad().item() / 0.367877601767, 1, 1e-9);
}

// A rule that owns its own output closes a circle of counts, and each training step left its graph
// behind. exp keeps its output, the likely place (BR-14).
class TrainingSteps : public testing::Test {
 protected:
  TrainingSteps() {
    std::vector<double> values;
    for (int i = 1; i <= 64; ++i) values.push_back(0.01 * i);
    w_ = parameter(from_vector(values, {64}, DType::kFloat64));
  }

  Variable loss() const { return sum(exp(w_) * w_); }

  Variable w_;
};

TEST_F(TrainingSteps, LeaveNothingBehind) {
  Tensor running = scalar(0, DType::kFloat64);
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  for (int i = 1; i <= 1000; ++i) {
    {
      const Variable step = loss();
      backward(step);
      w_.zero_grad();
      running = running + step.detach().value();
    }
    if (i == 2) {
      count = memory_stats().used_blocks;
      bytes = memory_stats().used_bytes;
    }
  }
  EXPECT_EQ(memory_stats().used_blocks, count);
  EXPECT_EQ(memory_stats().used_bytes, bytes);
}

TEST_F(TrainingSteps, LeaveNothingBehindWithoutBackward) {
  const std::int64_t count = memory_stats().used_blocks;
  for (int i = 0; i < 1000; ++i) loss();
  EXPECT_EQ(memory_stats().used_blocks, count);
}

TEST_F(TrainingSteps, SumThatKeepsTheGraphFreesItInTheEnd) {
  const std::int64_t count = memory_stats().used_blocks;
  {
    Variable running = Variable(scalar(0, DType::kFloat64));
    for (int i = 0; i < 1000; ++i) {
      const Variable step = loss();
      running = running + step;
      backward(step);
      w_.zero_grad();
    }
    EXPECT_GT(memory_stats().used_blocks, count + 1000);
  }
  EXPECT_EQ(memory_stats().used_blocks, count);
}

}  // namespace
}  // namespace gradwalk
