// The fused op against its readable parts: scores, masks, softmax, weights times values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "autograd/attention.h"
#include "autograd/backward.h"
#include "autograd/layout.h"
#include "golden_arrays.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

using testing::Each;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "" if no element is further off than `tolerance` times the largest one (or 1).
std::string difference(const Tensor& got, const Tensor& want, double tolerance) {
  double largest = 1;
  for (const double value : want.to_vector()) largest = std::max(largest, std::abs(value));
  return test::difference(got, want, 0, tolerance * largest);
}

Variable from_parts(const Variable& query, const Variable& key, const Variable& value,
                    const AttentionOptions& options) {
  return weighted_values(attention_weights(query, key, options), value);
}

struct Sizes {
  std::int64_t batch, heads, kv_heads, queries, keys;
};

std::vector<Tensor> drawn(const Sizes& s, DType dtype) {
  Generator generator(14, "attention");
  const Tensor query = normal({s.batch, s.queries, s.heads, 16}, generator, dtype);
  const Tensor key = normal({s.batch, s.keys, s.kv_heads, 16}, generator, dtype);
  const Tensor value = normal({s.batch, s.keys, s.kv_heads, 8}, generator, dtype);
  return {permute(query, {0, 2, 1, 3}), permute(key, {0, 2, 1, 3}), permute(value, {0, 2, 1, 3})};
}

std::vector<AttentionOptions> every_mask(const Sizes& s, DType dtype) {
  Generator generator(15, "masks");
  std::vector<AttentionOptions> all(5);
  all[1].causal = true;
  all[2].scale = 0.3;
  all[2].key_padding_mask =
      to(uniform({s.batch, s.keys}, generator, 0, 2.5, DType::kFloat64), DType::kInt64);
  all[2].key_padding_mask = to(all[2].key_padding_mask, DType::kBool);
  all[3].additive_mask = normal({s.heads, s.queries, 1}, generator, dtype);
  all[4] = all[2];
  all[4].causal = true;
  all[4].additive_mask = normal({s.batch, 1, s.queries, s.keys}, generator, dtype);
  for (std::int64_t j = 1; j < s.keys && s.queries > 0; j += 3) {
    fill(select(all[4].additive_mask, 3, j), -kInfinity);
  }
  return all;
}

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&,
                               const AttentionOptions&);

// The value, then the gradients of query, key and value.
std::vector<Tensor> run(Attention f, const std::vector<Tensor>& inputs,
                        const AttentionOptions& options) {
  std::vector<Variable> in;
  for (const Tensor& input : inputs) in.push_back(parameter(input));
  const Variable y = f(in[0], in[1], in[2], options);
  Generator generator(16, "dy");
  backward(y, normal(y.shape(), generator, y.value().dtype()));
  return {y.value(), in[0].grad(), in[1].grad(), in[2].grad()};
}

const test::MadeOfOps kMadeOfOps([](std::vector<std::string>& names) {
  names.insert(names.end(), {"attention_map", "attention_weights", "weighted_values"});
});

TEST(AttentionParts, FusedEqualsTheParts) {
  for (const Sizes& s :
       {Sizes{2, 4, 4, 9, 9}, Sizes{1, 6, 2, 70, 70}, Sizes{2, 4, 1, 3, 130}, Sizes{1, 2, 2, 20, 7},
        Sizes{1, 1, 1, 1, 1}, Sizes{2, 2, 1, 0, 5}, Sizes{2, 2, 1, 5, 0}}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const double tolerance = dtype == DType::kFloat32 ? 1e-6 : 1e-12;
      for (const AttentionOptions& options : every_mask(s, dtype)) {
        const std::vector<Tensor> inputs = drawn(s, dtype);
        const std::vector<Tensor> fused = run(attention, inputs, options);
        const std::vector<Tensor> parts = run(from_parts, inputs, options);
        for (std::size_t i = 0; i < fused.size(); ++i) {
          EXPECT_EQ(difference(fused[i], parts[i], tolerance), "")
              << "T " << s.queries << " S " << s.keys << ", result " << i;
        }
      }
    }
  }
}

// GQA is MHA with each key/value head repeated for its group; the gradients of the copies add up.
TEST(AttentionParts, GroupedEqualsRepeatedHeads) {
  const std::vector<Tensor> inputs = drawn({2, 6, 2, 5, 7}, DType::kFloat64);
  const auto repeated = [](const Variable& query, const Variable& key, const Variable& value,
                           const AttentionOptions& options) {
    const auto repeat = [](const Variable& x) {
      const std::int64_t rows = x.shape()[2], width = x.shape()[3];
      return reshape(expand(unsqueeze(x, 2), {2, 2, 3, rows, width}), {2, 6, rows, width});
    };
    return attention(query, repeat(key), repeat(value), options);
  };
  const std::vector<Tensor> grouped = run(attention, inputs, {.causal = true});
  const std::vector<Tensor> heads = run(repeated, inputs, {.causal = true});
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    EXPECT_EQ(difference(grouped[i], heads[i], 1e-14), "") << i;
  }
}

TEST(AttentionParts, WeightsSumToOneAndHiddenOnesAreZero) {
  const std::vector<Tensor> in = drawn({2, 4, 2, 3, 5}, DType::kFloat64);
  AttentionOptions options{.causal = true};
  options.key_padding_mask = from_vector({1, 0, 1, 1, 1, 0, 0, 0, 0, 0}, {2, 5}, DType::kBool);
  const Tensor weights = attention_weights(in[0], in[1], options).value();
  EXPECT_EQ(weights.shape(), Shape({2, 4, 3, 5}));
  const Tensor sums = sum(weights, -1);
  EXPECT_EQ(test::difference(select(sums, 0, 0), ones({4, 3}, DType::kFloat64), 1e-15), "");
  EXPECT_THAT(select(weights, 0, 1).to_vector(), Each(0));  // this batch entry has no key at all
  EXPECT_THAT(select(weights, 3, 1).to_vector(), Each(0));
  EXPECT_EQ(weights.at({0, 0, 0, 3}), 0);  // query 0 stands at key 2
  EXPECT_GT(weights.at({0, 0, 0, 2}), 0);
}

// A query that sees no key was NaN: exp(-inf - -inf). With the identity as keys and values and the
// scale 1, the queries are the scores and the result is the map of weights (BR-01).
TEST(AttentionParts, Br01FullyMaskedRow) {
  const nlohmann::json report = test::bug_report("BR-01");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const auto& expected = report["expected"];
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto& tolerance = report["tolerance"][name(dtype)];
    const auto close = [&](const Tensor& got, const nlohmann::json& want) {
      return test::difference(got, test::tensor_from(want, dtype), tolerance["rtol"].get<double>(),
                              tolerance["atol"].get<double>());
    };
    const Tensor keep = test::tensor_from(in["keep_mask"]);
    AttentionOptions options{.scale = 1};
    options.additive_mask = to(log(keep), dtype);  // log 1 = 0, log 0 = -inf
    const Tensor eye = zeros({1, 4, 4}, dtype);
    for (std::int64_t i = 0; i < 4; ++i) fill(select(select(eye, 1, i), 1, i), 1);
    for (const Attention f : {Attention{attention}, Attention{from_parts}}) {
      const Variable scores = parameter(unsqueeze(test::tensor_from(in["scores"], dtype), 0));
      const Variable weights = f(scores, eye, eye, options);
      backward(weights, unsqueeze(test::tensor_from(in["upstream"], dtype), 0));
      const Tensor y = squeeze(weights.value(), 0), dx = squeeze(scores.grad(), 0);
      EXPECT_EQ(close(select(y, 0, 0), expected["row0_probabilities"]), "");
      EXPECT_EQ(close(select(dx, 0, 0), expected["row0_grad_scores"]), "");
      EXPECT_EQ(y.at({0, 2}), 0);
      EXPECT_EQ(dx.at({0, 2}), 0);
      EXPECT_THAT(select(y, 0, 1).to_vector(), Each(0));
      EXPECT_THAT(select(dx, 0, 1).to_vector(), Each(0));
    }
  }
}

// goldens/sdpa_masked: float64 results rounded to float32, a mask of its own for each head.
TEST(AttentionParts, GoldenArrays) {
  auto arrays = test::golden_arrays("sdpa_masked.safetensors");
  GRADWALK_SKIP_WITHOUT_ARRAYS(arrays);
  const Tensor keep = arrays["mask_true_means_attend"];
  AttentionOptions options{.scale = 1.0 / 8};
  options.additive_mask = log(to(keep, DType::kFloat32));
  for (const Attention f : {Attention{attention}, Attention{from_parts}}) {
    const Tensor y = f(arrays["q"], arrays["k"], arrays["v"], options).value();
    EXPECT_EQ(test::difference(y, arrays["expected"], 1e-6, 1e-6), "");
    const auto batched = [&](const char* array) {
      const Shape& shape = arrays[array].shape();
      return reshape(arrays[array], {2, 2, shape[1], shape[2]});
    };
    AttentionOptions of_batch = options;
    of_batch.additive_mask = reshape(options.additive_mask, {2, 2, 12, 16});
    EXPECT_EQ(test::difference(f(batched("q"), batched("k"), batched("v"), of_batch).value(),
                               batched("expected"), 1e-6, 1e-6),
              "");
  }
}

TEST(AttentionPartsError, NamesOpOperandsAndShapes) {
  EXPECT_THAT(
      [] {
        attention_weights(ones({3, 2, 4}), ones({2, 5, 4}));
      },
      ThrowsMessage<std::invalid_argument>(
          "attention_weights: expected num_heads % num_kv_heads == 0, got 3 and 2; "
          "query=[3, 2, 4] key=[2, 5, 4]"));
  EXPECT_THAT(
      [] {
        weighted_values(ones({3, 2, 5}), ones({2, 5, 4}));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_values: expected num_heads % num_kv_heads == 0, got 3 and 2; "
          "weights=[3, 2, 5] value=[2, 5, 4]"));
  EXPECT_THAT(
      [] {
        weighted_values(ones({2, 2, 5}), ones({2, 4, 4}));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_values: expected weights [B, H, T, S] and value [B, G, S, Dv], got "
          "[2, 2, 5] and [2, 4, 4]; weights=[2, 2, 5] value=[2, 4, 4]"));
  EXPECT_THAT(
      [] {
        weighted_values(ones({2, 5}), ones({2, 5, 4}));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_values: expected weights and value of ndim 4, or both 3, got 2 and 3; "
          "weights=[2, 5] value=[2, 5, 4]"));
  EXPECT_THAT(
      [] {
        weighted_values(ones({2, 2, 5}), ones({2, 5, 4}, DType::kFloat64));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_values: expected one dtype for weights and value, got float32 and "
          "float64; weights=[2, 2, 5] value=[2, 5, 4]"));
  EXPECT_THAT(
      [] {
        weighted_values(Variable(), ones({2, 5, 4}));
      },
      ThrowsMessage<std::invalid_argument>(
          "weighted_values: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
