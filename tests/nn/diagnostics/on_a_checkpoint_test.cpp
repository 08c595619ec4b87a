// The measures on a trained model, against numbers from outside: computed in Python, from the
// formulas in the headers, out of the activations that came with the checkpoint
// (activations.safetensors: layer0_attention, layer0_q_roped, layer0_k_roped, layer0_v) and the
// weights of its first layer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/diagnostics/collapse.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/divergence.h"
#include "nn/diagnostics/entropy.h"
#include "nn/diagnostics/head_contribution.h"
#include "nn/diagnostics/head_similarity.h"
#include "nn/diagnostics/pca.h"
#include "nn/diagnostics/pull_back.h"
#include "nn/diagnostics/qk_match.h"
#include "nn/diagnostics/scores.h"
#include "nn/diagnostics/value_use.h"
#include "nn/statistics/rank_correlation.h"
#include "support.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

// The activations are float32, and of another implementation.
constexpr double kTolerance = 1e-5;

class Tinystories : public testing::Test {
 protected:
  void SetUp() override {
    const nlohmann::json reference = test::data_json("models/tinystories-656k/reference.json");
    GRADWALK_SKIP_WITHOUT_DATA(reference);
    const auto model = load_model(test::data("models/tinystories-656k"));
    const Tensor ids =
        to(matrix({{1, 80, 147, 201, 282, 57, 313, 598, 303, 1049, 1468, 267, 628, 333, 94, 1210}}),
           DType::kInt64);
    std::vector<AttentionTrace> traces;
    CausalLmContext context;
    context.traces = &traces;
    const NoGrad guard;
    (*model)(ids, context);
    trace_ = traces[0];
    state_ = model->state_dict();
  }

  // Of layer 0's attention.
  Tensor weight(std::string_view projection) const {
    const std::string name = "layers.0.self_attn." + std::string(projection) + ".weight";
    for (const auto& [key, value] : state_) {
      if (key == name) return value;
    }
    throw std::invalid_argument("no parameter " + name);
  }
  // The last token's query in each head, [H, Dh].
  Tensor last_queries() const { return select(select(trace_.query.value(), 0, 0), 1, 15); }
  // Head 2 of keys, which query heads 4 and 5 share, [S, Dh].
  Tensor keys() const { return select(select(trace_.key.value(), 0, 0), 0, 2); }

  AttentionTrace trace_;  // of layer 0: 8 query heads, 4 of keys and values, 16 tokens
  StateDict state_;
};

TEST_F(Tinystories, EntropyOfEachHead) {
  const Tensor visible = visible_keys(trace_.masked_scores.value());
  const Tensor want = vector(
      {0.7266670, 0.5237432, 0.4608898, 0.4694761, 0.5343631, 0.5621816, 0.4471822, 0.7208335});
  EXPECT_EQ(gradwalk::test::difference(head_entropy(trace_.weights.value(), visible), want, 0,
                                       kTolerance),
            "");
}

TEST_F(Tinystories, VarianceOfVisibleScores) {
  const Tensor visible = visible_keys(trace_.masked_scores.value());
  EXPECT_NEAR(score_variance(trace_.scaled_scores.value(), visible), 4.0598414, 4 * kTolerance);
}

TEST_F(Tinystories, DivergenceOfItsHeads) {
  const Tensor divergence = head_divergence(trace_.weights.value());
  EXPECT_NEAR(divergence.at({0, 1}), 0.3461481, kTolerance);
  EXPECT_NEAR(mean_pairwise(divergence), 0.3913615, kTolerance);
}

// Head 3 reads values of head 1, here for the last token. Token 13 has less of the weight than
// token 14 and more of the use.
TEST_F(Tinystories, UseOfValues) {
  const auto row = [](const Tensor& x) { return select(select(select(x, 0, 0), 0, 3), 0, 15); };
  const Tensor use = row(value_use(trace_.weights.value(), trace_.value.value()));
  const Tensor want =
      vector({0.001500, 0.000688, 0.001236, 0.178264, 0.000138, 0.000398, 0.016638, 0.483518,
              0.002265, 0.000282, 0.046959, 0.122066, 0.001469, 0.072050, 0.060974, 0.011556});
  EXPECT_EQ(gradwalk::test::difference(use, want, 0, kTolerance), "");
  const Tensor weights = row(trace_.weights.value());
  EXPECT_LT(weights.at({13}), weights.at({14}));
  EXPECT_NEAR(spearman(weights.to_vector(), use.to_vector()), 337.0 / 340, 1e-12);
}

// Head 5's last query, keys of the first eight tokens against those of the last eight.
TEST_F(Tinystories, MatchOfAQueryAndTwoGroupsOfKeys) {
  const Tensor query = select(last_queries(), 0, 5);
  const Tensor first = less(arange(0, 16), 8);
  const QkMatch match = qk_match(query, keys(), first, logical_not(first));
  EXPECT_NEAR(match.of_cosines.gap, -0.25031706, kTolerance);
  EXPECT_NEAR(match.of_cosines.cohens_d, -0.82635474, kTolerance);
  EXPECT_NEAR(match.of_cosines.welch.degrees_of_freedom, 13.821756, 1e-4);
  EXPECT_NEAR(match.of_cosines.welch.p, 0.12091511, kTolerance);
}

TEST_F(Tinystories, LengthsOfWeightedValues) {
  const Tensor norms = weighted_value_norms(trace_.weights.value(), trace_.value.value());
  const Tensor last = slice(select(select(select(norms, 0, 0), 0, 3), 0, 15), 0, 12, 16);
  EXPECT_EQ(gradwalk::test::difference(last, vector({0.0052704, 0.2585239, 0.2187841, 0.0414639}),
                                       0, kTolerance),
            "");
}

TEST_F(Tinystories, WhatEachHeadAddsToTheOutput) {
  const Tensor outputs = head_contributions(trace_.head_outputs.value(), weight("o_proj"));
  const Tensor want = vector(
      {0.1158463, 0.1256739, 0.1289752, 0.1529055, 0.1142117, 0.1340289, 0.1353599, 0.0929986});
  EXPECT_EQ(gradwalk::test::difference(output_share(outputs), want, 0, kTolerance), "");
  const Tensor cosines = head_cosine(outputs);
  EXPECT_NEAR(cosines.at({0, 1}), -0.07234728, kTolerance);
  EXPECT_NEAR(mean_pairwise(cosines), 0.00359494, kTolerance);
}

// Directions in model space that heads 4 and 5 look along, which share their keys.
TEST_F(Tinystories, QueriesPulledBackThroughTheKeyWeight) {
  const Tensor back =
      pull_back(slice(last_queries(), 0, 4, 6), slice(weight("k_proj"), 0, 2 * 16, 3 * 16));
  EXPECT_EQ(gradwalk::test::difference(length(back), vector({10.2423876, 13.2718546}), kTolerance),
            "");
  EXPECT_NEAR(cosine(select(back, 0, 0), select(back, 0, 1)).item(), 0.38383356, kTolerance);
}

TEST_F(Tinystories, DivergenceOfOneRowOfWeightsFromAnother) {
  const Tensor weights = select(select(trace_.weights.value(), 0, 0), 1, 15);  // [H, S]
  const Tensor p = select(weights, 0, 0);
  const Tensor q = select(weights, 0, 1);
  EXPECT_NEAR(kl_divergence(p, q).item(), 2.6875934, 4 * kTolerance);
  EXPECT_NEAR(kl_divergence(q, p).item(), 1.5027271, 4 * kTolerance);
}

// These tokens have no order that scores should follow: pairs are in it by chance, and the first
// half is spread as widely as the whole.
TEST_F(Tinystories, CollapseOfKeysAndScores) {
  EXPECT_NEAR(within_between_distance(slice(keys(), 0, 0, 8), slice(keys(), 0, 8, 16)), 1.0952446,
              kTolerance);
  const Tensor scores =
      select(select(select(trace_.scaled_scores.value(), 0, 0), 0, 5), 0, 15);  // [S]
  EXPECT_EQ(ordered_pairs(scores), 35 / 120.0);
  EXPECT_EQ(ordered_pairs(scores, /*margin=*/0), 72 / 120.0);
  EXPECT_NEAR(low_half_spread(scores), 1.0499108, kTolerance);
}

TEST_F(Tinystories, PrincipalComponentsOfValues) {
  const Pca p = pca(select(select(trace_.value.value(), 0, 0), 0, 0));
  EXPECT_EQ(
      gradwalk::test::difference(slice(p.variances, 0, 0, 4),
                                 vector({2.9806012, 1.8250553, 1.5429147, 1.1197004}), kTolerance),
      "");
  EXPECT_EQ(gradwalk::test::difference(slice(p.variance_ratio, 0, 0, 3),
                                       vector({0.30218739, 0.18503271, 0.15642796}), kTolerance),
            "");
}

}  // namespace
}  // namespace gradwalk::nn
