#include "tensor/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using testing::ThrowsMessage;

class ThreadsTest : public testing::Test {
 protected:
  ~ThreadsTest() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

TEST_F(ThreadsTest, NumberCanBeSet) {
  EXPECT_GE(num_threads(), 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
}

TEST_F(ThreadsTest, ImpossibleNumbersAreErrorsAndChangeNothing) {
  set_num_threads(2);
  EXPECT_THAT([] { set_num_threads(0); },
              ThrowsMessage<std::invalid_argument>(
                  "set_num_threads: expected 1 <= threads <= 1024, got 0"));
  EXPECT_THROW(set_num_threads(-1), std::invalid_argument);
  EXPECT_THROW(set_num_threads(1025), std::invalid_argument);
  EXPECT_EQ(num_threads(), 2);
}

TEST_F(ThreadsTest, ResultsAreTheSameBitsForAnyNumber) {
  Generator generator(1, "threads");
  const Tensor a = normal({131, 127}, generator);  // past the size where threads start
  const Tensor b = normal({127, 129}, generator);
  set_num_threads(1);
  const std::vector<double> want = matmul(a, b).to_vector();
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(matmul(a, b).to_vector(), want) << threads;
  }
}

}  // namespace
}  // namespace gradwalk
