#include "nn/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> ids(const std::vector<Candidate>& kept) {
  std::vector<std::int64_t> all;
  for (const Candidate& candidate : kept) all.push_back(candidate.id);
  return all;
}

double probability(const std::vector<Candidate>& kept, std::int64_t id) {
  for (const Candidate& candidate : kept) {
    if (candidate.id == id) return candidate.probability;
  }
  return 0;
}

// Off by one token at the edge: the token whose probability carries the sum past p was dropped, or
// one more was kept where the sum is exactly p. Powers of two hit the edges exactly. (BR-27)
TEST(TopP, KeepsTheFewestThatReachTheSum) {
  const Tensor logits = log(vector({0.0625, 0.5, 0.125, 0.25, 0.0625}, DType::kFloat64));
  const auto kept = [&](double p) { return candidates(logits, {.temperature = 1, .top_p = p}); };
  EXPECT_THAT(ids(kept(0)), ElementsAre(1));
  EXPECT_THAT(ids(kept(0.3)), ElementsAre(1));
  EXPECT_THAT(ids(kept(0.5)), ElementsAre(1));
  EXPECT_THAT(ids(kept(0.75)), ElementsAre(1, 3));
  EXPECT_THAT(ids(kept(0.76)), ElementsAre(1, 3, 2));
  EXPECT_THAT(ids(kept(0.9)), ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(ids(kept(1)), ElementsAre(1, 3, 2, 0, 4));
  EXPECT_NEAR(probability(kept(0.75), 1), 2.0 / 3, 1e-12);
  EXPECT_NEAR(probability(kept(0.76), 2), 1.0 / 7, 1e-12);
  EXPECT_NEAR(probability(kept(0.9), 0), 1.0 / 15, 1e-12);
  EXPECT_NEAR(probability(kept(1), 4), 0.0625, 1e-12);
}

// Keeping every logit that is no smaller than the k-th largest kept three tokens for k = 2 where
// three are equal. Exactly k stay, of equals those with the lowest ids. (BR-28)
TEST(TopK, KeepsExactlyK) {
  const Tensor logits = vector({0.5, 2, 2, -1, 2, 1});
  const auto kept = [&](std::int64_t k) {
    return candidates(logits, {.temperature = 1, .top_k = k});
  };
  EXPECT_THAT(ids(kept(1)), ElementsAre(1));
  EXPECT_THAT(ids(kept(2)), ElementsAre(1, 2));
  EXPECT_EQ(probability(kept(2), 2), 0.5);
  EXPECT_THAT(ids(kept(4)), ElementsAre(1, 2, 4, 5));
  for (const std::int64_t k : {6, 9, 0}) EXPECT_EQ(kept(k).size(), 6U);
}

// Temperature 0 was a division by 0, and a tiny one overflowed in exp before the largest logit was
// taken off. (BR-29)
TEST(Temperature, ZeroTinyAndLarge) {
  const Tensor logits = vector({1, 3, 2, 3});
  EXPECT_THAT(ids(candidates(logits, {.temperature = 0})), ElementsAre(1));
  const auto cold = candidates(logits, {.temperature = 1e-8});
  EXPECT_EQ(probability(cold, 1), 0.5);
  EXPECT_EQ(probability(cold, 3), 0.5);
  EXPECT_EQ(probability(cold, 0), 0);
  const auto warm = candidates(logits, {.temperature = 2});
  EXPECT_NEAR(probability(warm, 0), 0.123681479249, 1e-12);
  EXPECT_NEAR(probability(warm, 1), 0.33620111756, 1e-11);
  EXPECT_NEAR(probability(warm, 2), 0.20391628563, 1e-11);
  const auto large = candidates(vector({1000, 999, -1000}), {.temperature = 1e-8});
  EXPECT_EQ(probability(large, 0), 1);
  EXPECT_EQ(probability(large, 2), 0);
}

TEST(Candidates, HiddenTokensAreNone) {
  EXPECT_THAT(ids(candidates(vector({-kInf, 1, -kInf, 2}), {.temperature = 1})), ElementsAre(3, 1));
  EXPECT_EQ(probability(candidates(vector({kInf, 1}), {.temperature = 1}), 0), 1);
}

// Each once, however often it occurred; towards less likely on both sides of zero.
TEST(RepetitionPenalty, MakesWhatOccurredLessLikely) {
  const Tensor logits = vector({2, -1, 0.5}, DType::kFloat64);
  const std::vector<std::int64_t> history = {0, 1, 0};
  const auto kept = candidates(logits, {.repetition_penalty = 2, .temperature = 1}, history);
  const double sum = std::exp(1) + std::exp(-2) + std::exp(0.5);
  EXPECT_NEAR(probability(kept, 0), std::exp(1) / sum, 1e-12);
  EXPECT_NEAR(probability(kept, 1), std::exp(-2) / sum, 1e-12);
  EXPECT_THAT(ids(candidates(logits, {.repetition_penalty = 8}, history)), ElementsAre(2));
}

TEST(Pick, FallsOnEachAsOftenAsItsProbabilitySays) {
  const std::vector<Candidate> kept = {{7, 0.5}, {3, 0.3}, {5, 0.2}};
  EXPECT_EQ(pick(kept, 0), 7);
  EXPECT_EQ(pick(kept, 0.4999), 7);
  EXPECT_EQ(pick(kept, 0.5), 3);
  EXPECT_EQ(pick(kept, 0.7999), 3);
  EXPECT_EQ(pick(kept, 0.81), 5);
  EXPECT_EQ(pick(std::vector<Candidate>{{1, 0.3}, {2, 0.3}}, 0.999), 2);  // rounding
}

TEST(CandidatesError, Texts) {
  const Tensor logits = vector({1, 2});
  const auto with = [&](const SamplingOptions& options) {
    return [=] { candidates(logits, options); };
  };
  using Bad = std::invalid_argument;
  EXPECT_THAT(with({.temperature = -1}),
              ThrowsMessage<Bad>("candidates: expected a finite temperature >= 0, got -1"));
  EXPECT_THROW(with({.temperature = kNan})(), Bad);
  EXPECT_THROW(with({.temperature = kInf})(), Bad);
  EXPECT_THAT(with({.top_k = -1}), ThrowsMessage<Bad>("candidates: expected top_k >= 0, got -1"));
  for (const double p : {-0.1, 1.1, kNan}) EXPECT_THROW(with({.top_p = p})(), Bad);
  EXPECT_THAT(with({.top_p = 1.1}),
              ThrowsMessage<Bad>("candidates: expected 0 <= top_p <= 1, got 1.1"));
  EXPECT_THAT(with({.repetition_penalty = 0}),
              ThrowsMessage<Bad>("candidates: expected a finite repetition_penalty > 0, got 0"));
  EXPECT_THAT(
      [] {
        candidates(vector({1, kNan}), {});
      },
      ThrowsMessage<Bad>(
          "candidates: expected logits that are numbers, got NaN at [1]; logits=[2]"));
  EXPECT_THAT([] { candidates(vector({-kInf}), {}); },
              ThrowsMessage<Bad>("candidates: expected a logit above -inf, got none; logits=[1]"));
  EXPECT_THAT(
      [] {
        candidates(matrix({{1, 2}}), {});
      },
      ThrowsMessage<ShapeError>("candidates: expected logits [V] with V >= 1, got [1, 2]"));
  const std::vector<std::int64_t> history = {2};
  EXPECT_THROW(candidates(logits, {.repetition_penalty = 2}, history), std::out_of_range);
}

}  // namespace
}  // namespace gradwalk::nn
