// The measures together, on models as lessons have them: what AttentionTrace gives goes in as it
// is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/causal_lm.h"
#include "nn/diagnostics/collapse.h"
#include "nn/diagnostics/entropy.h"
#include "nn/diagnostics/head_contribution.h"
#include "nn/diagnostics/head_similarity.h"
#include "nn/diagnostics/pca.h"
#include "nn/diagnostics/pull_back.h"
#include "nn/diagnostics/qk_match.h"
#include "nn/diagnostics/scores.h"
#include "nn/diagnostics/value_use.h"
#include "nn/encoder.h"
#include "support.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"
#include "tensor/triangle.h"

namespace gradwalk::nn {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Gt;
using testing::Le;
using testing::Lt;

constexpr DType kDType = DType::kFloat64;
constexpr LinearOptions kLinear{.bias = false, .init = {InitScheme::kNormal, 0.4}, .dtype = kDType};

const Tensor kIds = to(matrix({{0, 3, 5, 8, 1}, {2, 2, 1, 7, 6}}), DType::kInt64);

Tensor parameter(const Module& model, const std::string& name) {
  for (const NamedParameter& p : model.named_parameters()) {
    if (p.name == name) return p.variable.value();
  }
  throw std::invalid_argument("no parameter " + name);
}

// Two layers, four query heads on two heads of keys and values, rotary positions.
struct LanguageModel {
  LanguageModel() : model(options(), Seed(1)) {
    CausalLmContext context;
    context.traces = &traces;
    model(kIds, context);
  }
  static CausalLmOptions options() {
    CausalLmOptions o;
    o.vocab_size = 9;
    o.d_model = 8;
    o.num_layers = 2;
    o.block.attention = {
        .num_heads = 4, .num_kv_heads = 2, .rope = RopeOptions{}, .linear = kLinear};
    o.block.feed_forward.linear = kLinear;
    o.block.norm_options.dtype = kDType;
    o.embedding = {.init = {InitScheme::kNormal, 1}, .dtype = kDType};
    return o;
  }
  CausalLm model;
  std::vector<AttentionTrace> traces;
};

TEST(DiagnosticsOnALanguageModel, EntropyIsThatOfTheVisibleKeys) {
  const LanguageModel lm;
  for (const AttentionTrace& trace : lm.traces) {
    const Tensor weights = trace.weights.value();
    const Tensor visible = visible_keys(trace.masked_scores.value());
    EXPECT_EQ(test::difference(to(visible, kDType),
                               expand(tril(ones({5, 5}, kDType)), visible.shape()), 0),
              "");
    const Tensor shares = normalized_entropy(weights, visible);
    EXPECT_THAT(select(shares, 2, 0).to_vector(), Each(0));
    EXPECT_THAT(slice(shares, 2, 1, 5).to_vector(), Each(AllOf(Gt(0), Le(1))));
    // The definition, on the last query, which sees all five keys.
    const Tensor last = select(weights, 2, 4);
    EXPECT_EQ(test::difference(select(shares, 2, 4),
                               -sum(last * log(last), /*axes=*/-1) / std::log(5), 1e-13),
              "");
    EXPECT_EQ(test::difference(head_entropy(weights, visible), mean(slice(shares, 2, 1, 5), {0, 2}),
                               1e-13),
              "");
    EXPECT_NEAR(score_variance(trace.scaled_scores.value(), visible),
                score_variance(trace.masked_scores.value(), visible), 1e-13);
  }
}

TEST(DiagnosticsOnALanguageModel, ContributionsAddUpToTheOutput) {
  const LanguageModel lm;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const AttentionTrace& trace = lm.traces[layer];
    const Tensor o_weight =
        parameter(lm.model, "layers." + std::to_string(layer) + ".self_attn.o_proj.weight");
    const Tensor outputs = head_contributions(trace.head_outputs.value(), o_weight);
    const Tensor side_by_side =
        reshape(permute(trace.head_outputs.value(), {0, 2, 1, 3}), {2, 5, 8});
    EXPECT_EQ(test::difference(sum(outputs, /*axes=*/1), matmul(side_by_side, transpose(o_weight)),
                               0, 1e-12),
              "");
    EXPECT_NEAR(sum(output_share(outputs)).item(), 1, 1e-13);

    // The same through the values: weights mix what W_O makes of them.
    const Tensor values = head_contributions(trace.value.value(), o_weight);  // [B, H, S, D]
    EXPECT_EQ(test::difference(matmul(trace.weights.value(), values), outputs, 0, 1e-12), "");
    const Tensor use = value_use(trace.weights.value(), values);
    EXPECT_EQ(test::difference(sum(use, /*axes=*/-1), ones({2, 4, 5}, kDType), 1e-13), "");
    EXPECT_THAT(select(use, 2, 0).to_vector(), testing::Contains(1).Times(8));  // sees itself
  }
}

TEST(DiagnosticsOnALanguageModel, HeadsDiffer) {
  const LanguageModel lm;
  const AttentionTrace& trace = lm.traces[0];
  const double divergence = mean_pairwise(head_divergence(trace.weights.value()));
  EXPECT_THAT(divergence, AllOf(Gt(0.001), Lt(1)));
  const Tensor outputs = head_contributions(
      trace.head_outputs.value(), parameter(lm.model, "layers.0.self_attn.o_proj.weight"));
  EXPECT_LT(std::abs(mean_pairwise(head_cosine(outputs))), 0.9);
}

// An encoder in BERT's form, whose layer takes `hidden` as it is, with biases.
TEST(DiagnosticsOnAnEncoder, TheQueryOfClsFitsKeysAsItsPullBackFitsTheirInputs) {
  EncoderOptions o;
  o.vocab_size = 9;
  o.d_model = 8;
  o.num_layers = 2;
  o.max_positions = 5;
  o.block.attention = {.num_heads = 2, .linear = {.bias = true, .dtype = kDType}};
  o.block.feed_forward.linear.dtype = kDType;
  o.block.norm_options.dtype = kDType;
  o.embedding = {.init = {InitScheme::kNormal, 1}, .dtype = kDType};
  Encoder model(o, Seed(2));
  std::vector<AttentionTrace> traces;
  std::vector<Variable> hidden;
  EncoderContext context;
  context.traces = &traces;
  context.hidden = &hidden;
  model(kIds, context);

  const Tensor numbers = unsqueeze(greater_equal(kIds, 5), 1);  // [B, 1, S]
  const Tensor others = logical_not(numbers);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const AttentionTrace& trace = traces[layer];
    const Tensor query = select(trace.query.value(), 2, 0);  // [B, H, Dh], of the first token
    const QkMatch match = qk_match(query, trace.key.value(), numbers, others);
    EXPECT_EQ(test::difference(match.logits, select(trace.scaled_scores.value(), 2, 0), 0, 1e-13),
              "");
    EXPECT_EQ(match.of_cosines.group.count + match.of_cosines.control.count, 2 * 2 * 5);

    const Tensor k_weight =
        parameter(model, "layers." + std::to_string(layer) + ".self_attn.k_proj.weight");
    for (int head = 0; head < 2; ++head) {
      const Tensor direction =
          pull_back(select(query, 1, head), slice(k_weight, 0, head * 4, head * 4 + 4));  // [B, D]
      const Tensor products =
          sum(unsqueeze(direction, 1) * hidden[layer].value(), /*axes=*/-1);  // [B, S]
      EXPECT_EQ(
          test::difference(products, select(select(trace.scores.value(), 2, 0), 1, head), 0, 1e-13),
          "");
    }
    const Tensor keys = select(select(trace.key.value(), 0, 0), 0, 0);  // [S, Dh]
    const Pca p = pca(keys);
    EXPECT_NEAR(sum(p.variances).item(), sum(var(keys, /*axes=*/0)).item(), 1e-13);
    EXPECT_GT(within_between_distance(slice(keys, 0, 0, 2), slice(keys, 0, 2, 5)), 0);
  }
}

}  // namespace
}  // namespace gradwalk::nn
