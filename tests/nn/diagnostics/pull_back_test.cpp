#include "nn/diagnostics/pull_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(PullBack, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor k_weight = matrix({{1, 0, 2}, {0, 1, -1}}, dtype);
    const Tensor y = pull_back(vector({2, 3}, dtype), k_weight);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_THAT(y.to_vector(), ElementsAre(2, 3, 1));
  }
}

// (W_K^T q).h = q.(W_K h) for every h, and a step across W_K^T q leaves the logit where it is.
TEST(PullBack, MeetsInputsAsTheQueryMeetsKeys) {
  Generator generator(4, "pull_back");
  const Tensor q = normal({5, 3}, generator, DType::kFloat64);
  const Tensor k_weight = normal({3, 7}, generator, DType::kFloat64);
  const Tensor h = normal({6, 7}, generator, DType::kFloat64);
  const Tensor keys = matmul(h, transpose(k_weight));
  EXPECT_EQ(test::difference(matmul(pull_back(q, k_weight), transpose(h)),
                             matmul(q, transpose(keys)), 0, 1e-13),
            "");
}

TEST(PullBack, NanStaysVisible) {
  EXPECT_TRUE(std::isnan(pull_back(vector({std::nan(""), 0}), ones({2, 1})).item()));
}

TEST(PullBackError, NamesBothOperands) {
  // All rows of k_proj.weight [H Dh, D], where one head's are asked for.
  EXPECT_THAT(
      [] {
        pull_back(zeros({4}), zeros({8, 16}));
      },
      ThrowsMessage<ShapeError>(
          "pull_back: expected query [..., Dh] and k_weight [Dh, D], got [4] and [8, 16]; "
          "query=[4] k_weight=[8, 16]"));
  EXPECT_THAT(
      [] {
        pull_back(zeros({4}), zeros({4, 2}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "pull_back: expected one dtype for query and k_weight, got float32 and float64; "
          "query=[4] k_weight=[4, 2]"));
  EXPECT_THROW(pull_back(Tensor(), zeros({4, 2})), std::invalid_argument);
}

}  // namespace
}  // namespace gradwalk::nn
