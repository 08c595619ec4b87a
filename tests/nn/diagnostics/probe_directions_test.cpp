#include "nn/diagnostics/probe_directions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "nn/diagnostics/cosine.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

constexpr DType kF64 = DType::kFloat64;

TEST(ProbeDirections, AreUnitVectorsAndTheOrthogonalOnesMoveNoLogit) {
  Generator numbers(2, "weights"), generator(1, "directions");
  const Tensor q = normal({3}, numbers, kF64), w_k = normal({3, 7}, numbers, kF64);
  const ProbeDirections d = probe_directions(q, w_k, 50, generator);
  EXPECT_EQ(d.random.shape(), Shape({50, 7}));
  EXPECT_EQ(test::difference(length(d.along), scalar(1, kF64), 1e-14), "");
  EXPECT_EQ(test::difference(length(d.random), ones({50}, kF64), 1e-14), "");
  EXPECT_EQ(test::difference(length(d.orthogonal), ones({50}, kF64), 1e-14), "");
  // q.(W_K step) of each direction: nothing, and less than along W_K^T q.
  const auto moved = [&](const Tensor& steps) { return matmul(matmul(steps, transpose(w_k)), q); };
  EXPECT_EQ(test::difference(moved(d.orthogonal), zeros({50}, kF64), 0, 1e-14), "");
  const double most = moved(d.along).item();
  EXPECT_GT(most, 0);
  for (const double one : moved(d.random).to_vector()) EXPECT_LT(std::abs(one), most);
  // The orthogonal ones are the random ones without that part: they stay near to them.
  for (const double cosine_of_pair : cosine(d.random, d.orthogonal).to_vector()) {
    EXPECT_GT(cosine_of_pair, 0);
  }
}

TEST(ProbeDirections, ByHand) {
  Generator generator(1, "directions");
  // W_K^T q = (3, 4)
  const ProbeDirections d =
      probe_directions(vector({1}, kF64), matrix({{3, 4}}, kF64), 1, generator);
  EXPECT_EQ(test::difference(d.along, vector({0.6, 0.8}, kF64), 1e-15), "");
  EXPECT_NEAR(std::abs(d.orthogonal.at({0, 0})), 0.8, 1e-14);
}

TEST(ProbeDirectionsError, SaysWhatDoesNotFit) {
  Generator generator(1, "directions");
  EXPECT_THAT(
      [&] {
        probe_directions(zeros({2}), zeros({3, 4}), 1, generator);
      },
      ThrowsMessage<ShapeError>(
          "probe_directions: expected query [Dh] and k_weight [Dh, D], D >= 2, got [2] and "
          "[3, 4]; query=[2] k_weight=[3, 4]"));
  EXPECT_THAT(
      [&] {
        probe_directions(zeros({2}), zeros({2, 4}), 1, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "probe_directions: expected a finite W_K^T q other than 0, got length 0; "
          "query=[2] k_weight=[2, 4]"));
  EXPECT_THAT(
      [&] {
        probe_directions(ones({2}), ones({2, 4}), 0, generator);
      },
      ThrowsMessage<std::invalid_argument>(
          "probe_directions: expected count >= 1, got 0; query=[2] k_weight=[2, 4]"));
}

}  // namespace
}  // namespace gradwalk::nn
