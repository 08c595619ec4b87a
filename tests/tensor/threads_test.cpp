#include "tensor/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/where.h"

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

// Rows that are not one behind the other are shared by threads too: along the outermost axis that
// is left after joining, which may be the only one.
TEST_F(ThreadsTest, StridedOperandsAreRightForAnyNumber) {
  Generator generator(2, "threads");
  const Tensor x = normal({211, 6, 67}, generator);
  const Tensor row = normal({67}, generator);
  const Tensor column = normal({211, 1, 1}, generator);
  const Tensor line = slice(normal({200'003}, generator), 0, 0, 200'003, 2);
  const Tensor moved = permute(x, {1, 0, 2});  // [6, 211, 67]
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    const Tensor with_row = x + row;
    const Tensor with_column = x * column;
    const Tensor chosen = where(greater(moved, 0.0), moved, row);
    const Tensor copied = contiguous(moved);
    const Tensor negated = neg(line);
    for (std::int64_t i = 0; i < 211; ++i) {
      for (std::int64_t j = 0; j < 6; ++j) {
        for (std::int64_t k = 0; k < 67; k += 11) {
          const double at = x.at({i, j, k});
          ASSERT_EQ(with_row.at({i, j, k}), static_cast<float>(at + row.at({k})));
          ASSERT_EQ(with_column.at({i, j, k}), static_cast<float>(at * column.at({i, 0, 0})));
          ASSERT_EQ(chosen.at({j, i, k}), at > 0 ? at : row.at({k}));
          ASSERT_EQ(copied.at({j, i, k}), at);
        }
      }
    }
    for (std::int64_t i = 0; i < line.shape()[0]; ++i) ASSERT_EQ(negated.at({i}), -line.at({i}));
  }
}

}  // namespace
}  // namespace gradwalk
