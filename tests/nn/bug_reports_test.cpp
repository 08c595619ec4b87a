// Cases from public bug reports (cases.json), through the modules; their ops have tests of their
// own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/embedding.h"
#include "autograd/matmul.h"
#include "nn/attention.h"
#include "nn/dropout.h"
#include "nn/optim/clip.h"
#include "nn/transformer_block.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using testing::Each;

// Queries, keys and values are x itself.
MultiHeadAttentionOptions bare(std::int64_t num_heads) {
  MultiHeadAttentionOptions o;
  o.num_heads = num_heads;
  o.causal = true;
  o.has_q_proj = o.has_k_proj = o.has_v_proj = o.has_o_proj = false;
  o.linear.dtype = DType::kFloat64;
  return o;
}

std::string difference(const json& report, const Tensor& got, const Tensor& want) {
  const json& tolerance = report["tolerance"][name(got.dtype())];
  return test::difference(got, want, tolerance["rtol"], tolerance["atol"]);
}

// Repeating the list of key/value heads as a whole, 0 1 0 1, in place of each head where it stands,
// 0 0 1 1, gave query head 1 the keys of the wrong group. (BR-20)
// Positions are one-hot, so that column i of a projection is what position i projects to.
TEST(BugReports, Br20QueryHeadsShareKeyValueHeadsInPlace) {
  const json report = test::bug_report("BR-20");
  GRADWALK_SKIP_WITHOUT(report);
  const json& in = report["inputs"];
  MultiHeadAttentionOptions o;
  o.num_heads = 4;
  o.num_kv_heads = 2;
  o.head_dim = 2;
  o.linear = {.bias = false, .dtype = DType::kFloat64};
  MultiHeadAttention layer(/*d_model=*/2, Seed(1), o);
  const Tensor query = reshape(test::tensor_from(in["q"]), {8, 1});  // [H Dh, 1]
  const auto columns = [&](const char* name) {                       // [G, S, Dh] to [G Dh, S]
    return reshape(transpose(test::tensor_from(in[name])), {4, 2});
  };
  layer.load_state_dict({{"q_proj.weight", expand(query, {8, 2})},
                         {"k_proj.weight", columns("k")},
                         {"v_proj.weight", columns("v")},
                         {"o_proj.weight", zeros({2, 8})}});
  AttentionTrace trace;
  AttentionContext context;
  context.trace = &trace;
  layer(reshape(matrix({{1, 0}, {0, 1}}, DType::kFloat64), {1, 2, 2}), context);
  const Tensor heads = select(select(trace.head_outputs.value(), 0, 0), 1, 0);  // [H, Dh]
  EXPECT_EQ(difference(report, heads, test::tensor_from(report["expected"]["out_per_query_head"])),
            "");
}

// 6 query heads over 4 key/value heads: the rounded quotient is 1, so that the last two query heads
// looked for heads past the end; such a model has to be refused when it is made. (BR-21)
TEST(BugReports, Br21HeadCountsThatDoNotDivide) {
  const json report = test::bug_report("BR-21");
  GRADWALK_SKIP_WITHOUT(report);
  const json& configs = report["inputs"]["configs"];
  ASSERT_EQ(configs.size(), 6U);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    MultiHeadAttentionOptions o;
    o.num_heads = configs[i]["query_heads"];
    o.num_kv_heads = configs[i]["kv_heads"];
    const auto make = [&] { MultiHeadAttention(configs[i]["d_model"], Seed(1), o); };
    // 0 key/value heads are documented as "one for each query head".
    if (o.num_kv_heads == 0 || i == 5) {
      EXPECT_NO_THROW(make()) << i;
    } else {
      EXPECT_THROW(make(), std::invalid_argument) << i;
    }
  }
}

// With a cache there are more keys than queries. A triangle that starts at the first key hid from
// new queries all that came before them; it has to end at the last key. (BR-22)
TEST(BugReports, Br22TwoNewQueriesSeeTheThreePositionsOfTheCache) {
  const json report = test::bug_report("BR-22");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor values = reshape(test::tensor_from(report["inputs"]["v"]), {1, 5, 1});
  MultiHeadAttentionOptions o = bare(1);
  o.scale = 0;  // all scores zero
  const MultiHeadAttention layer(/*d_model=*/1, Seed(1), o);
  const auto after_cached = [&](std::int64_t cached) {
    KvCache cache({.capacity = 5, .dtype = DType::kFloat64});
    AttentionContext context;
    context.cache = &cache;
    const NoGrad guard;
    layer(slice(values, 1, 0, cached), context);
    return reshape(layer(slice(values, 1, cached, 5), context).value(), {5 - cached});
  };
  const json& want = report["expected"];
  EXPECT_EQ(difference(report, after_cached(3), test::tensor_from(want["out"])), "");
  EXPECT_EQ(difference(report, after_cached(4), test::tensor_from(want["q_len_1"]["out"])), "");
}

// Text that was generated step by step differed from one full pass: positions began at 0 again with
// each call, or moved on by the prompt's length twice, or a new prompt saw keys of the last one.
// (BR-23)
TEST(BugReports, Br23CachedStepsEqualTheFullPassAlsoAfterAReset) {
  const json report = test::bug_report("BR-23");
  GRADWALK_SKIP_WITHOUT(report);
  const json& in = report["inputs"];
  const Tensor tokens = test::tensor_from(in["token_table"]);
  const MultiHeadAttention attention(/*d_model=*/2, Seed(1), bare(1));
  KvCache cache({.head_dim = 2, .capacity = 4, .dtype = DType::kFloat64});
  const NoGrad guard;
  const Tensor ids = to(test::tensor_from(in["tokens"]), DType::kInt64);
  for (const json& schedule : in["schedules"]) {
    cache.truncate(0);  // keys of the text before are gone
    for (const std::int64_t count : schedule.get<std::vector<std::int64_t>>()) {
      const std::int64_t start = cache.length();
      const Tensor fresh = unsqueeze(slice(ids, 0, start, start + count), 0);
      const Variable x =
          embedding(fresh, tokens) +
          embedding(arange(start, start + count), test::tensor_from(in["position_table"]));
      AttentionContext context;
      context.cache = &cache;
      const Variable logits = matmul(x + attention(x, context), transpose(tokens));
      EXPECT_EQ(difference(report, squeeze(logits.value(), 0),
                           slice(test::tensor_from(report["expected"]["logits_at_each_position"]),
                                 0, start, start + count)),
                "")
          << schedule;
    }
  }
}

// A piece that is small enough alone was written past the end of a cache that was nearly full: the
// check has to count what is in it already. (BR-24)
TEST(BugReports, Br24TheRoomOfACacheCountsWhatIsInIt) {
  const json report = test::bug_report("BR-24");
  GRADWALK_SKIP_WITHOUT(report);
  KvCache cache({.capacity = report["inputs"]["max_len"]});
  const std::vector<std::int64_t> lengths_after = {3, 3, 4, 4};
  float next = 0;
  std::vector<double> stored;
  for (std::size_t i = 0; i < lengths_after.size(); ++i) {
    const std::int64_t count = report["inputs"]["appends"][i];
    Tensor x("x", {1, 1, count, 1}, DType::kFloat32);
    for (std::int64_t j = 0; j < count; ++j) x.mutable_data<float>()[j] = ++next;
    if (cache.length() + count > 4) {
      EXPECT_THROW(cache.append(0, x, x), std::out_of_range);
    } else {
      cache.append(0, x, x);
      for (const double value : x.to_vector()) stored.push_back(value);
    }
    EXPECT_EQ(cache.length(), lengths_after[i]);
    EXPECT_EQ(cache.entry(0).keys.to_vector(), stored);
    EXPECT_EQ(cache.entry(0).values.to_vector(), stored);
  }
}

// Scores divided by the root of the model's width, where each head is only a part of it as wide,
// came out too small, and the softmax too flat. (BR-25)
TEST(BugReports, Br25ScoresAreScaledByTheHeadSize) {
  const json report = test::bug_report("BR-25");
  GRADWALK_SKIP_WITHOUT(report);
  MultiHeadAttentionOptions o = bare(2);
  o.causal = false;
  AttentionTrace trace;
  AttentionContext context;
  context.trace = &trace;
  MultiHeadAttention(/*d_model=*/4, Seed(1), o)(
      unsqueeze(test::tensor_from(report["inputs"]["x"]), 0), context);
  EXPECT_EQ(difference(report, select(trace.weights.value(), 0, 0),
                       test::tensor_from(report["expected"]["weights_per_head"])),
            "");
}

// Dropout went on in evaluation (the one inside a block is easily overlooked), made NaN of p = 1 by
// dividing by 0, or let gradients of dropped elements through. (BR-26)
TEST(BugReports, Br26DropoutInEvaluationAndAtItsEnds) {
  const json report = test::bug_report("BR-26");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor x = test::tensor_from(report["inputs"]["x"]);
  const Tensor dy = test::tensor_from(report["inputs"]["upstream"]);
  const auto run = [&](double p, bool training) {
    Dropout drop(p, Seed(1));
    drop.train(training);
    const Variable in = parameter(x);
    const Variable y = drop(in) * 1.0;
    backward(y, dy);
    return std::pair(y.value().to_vector(), in.grad().to_vector());
  };
  for (const double p : report["inputs"]["p_values"].get<std::vector<double>>()) {
    EXPECT_EQ(run(p, false), std::pair(x.to_vector(), dy.to_vector())) << p;
  }
  EXPECT_EQ(run(0, true), std::pair(x.to_vector(), dy.to_vector()));
  const auto [y, dx] = run(1, true);
  EXPECT_THAT(y, Each(0));
  EXPECT_THAT(dx, Each(0));
  const auto [some, slopes] = run(0.25, true);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_DOUBLE_EQ(some[i], x.to_vector()[i] * slopes[i]);
    EXPECT_DOUBLE_EQ(slopes[i], some[i] == 0 ? 0 : 1 / 0.75);
  }
  for (const double p : {-0.1, 1.5, std::nan("")}) {
    EXPECT_THROW(Dropout(p, Seed(1)), std::invalid_argument) << p;
  }
  Dropout quarter(0.25, Seed(1));
  EXPECT_NEAR(mean(quarter(ones({100000})).value()).item(), 1, 0.01);

  TransformerBlockOptions o;
  o.attention.num_heads = 2;
  const auto evaluated = [&](double p) {
    o.dropout = p;
    TransformerBlock block(/*d_model=*/4, Seed(1), o);
    block.eval();
    return block(ones({1, 3, 4})).value().to_vector();
  };
  EXPECT_EQ(evaluated(0.5), evaluated(0));
}

// One norm counts for all parameters together. Clipping each by its own, scaling up gradients that
// are short enough, or multiplying by max_norm / inf breaks the update. (BR-47)
TEST(BugReports, Br47ClippingZeroOrdinaryHugeAndInfiniteGradients) {
  const json report = test::bug_report("BR-47");
  GRADWALK_SKIP_WITHOUT(report);
  const json& cases = report["inputs"]["cases"];
  const std::vector<double> norms = {0, 5, 0.5, 5e20, std::numeric_limits<double>::infinity()};
  // An infinite gradient is left as it is, and the norm reports it.
  const std::vector<std::vector<double>> after = {
      {0, 0, 0}, {0.6, 0.8}, {0.3, 0.4}, {0.6, 0.8}, {norms[4], 1}};
  ASSERT_EQ(cases.size(), after.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool single = cases[i].value("dtype", "float64") == "float32";
    const DType dtype = single ? DType::kFloat32 : DType::kFloat64;
    std::vector<Variable> parameters;
    for (const json& grad : cases[i]["grads"]) {
      const Tensor dy = test::tensor_from(grad, dtype);
      parameters.push_back(parameter(zeros(dy.shape(), dtype)));
      backward(parameters.back() * 1.0, dy);
    }
    const double norm = clip_grad_norm(parameters, cases[i]["max_norm"]);
    const double rtol = single ? 1e-5 : 1e-6;
    EXPECT_TRUE(norm == norms[i] || std::abs(norm - norms[i]) <= rtol * norms[i]) << norm;
    std::vector<double> got;
    for (const Variable& one : parameters) {
      for (const double value : one.grad().to_vector()) got.push_back(value);
    }
    ASSERT_EQ(got.size(), after[i].size());
    for (std::size_t j = 0; j < got.size(); ++j) {
      EXPECT_TRUE(got[j] == after[i][j] || std::abs(got[j] - after[i][j]) <= rtol) << i;
    }
  }
  for (const double bad : {-1.0, std::nan("")}) {
    EXPECT_THROW(clip_grad_norm({}, bad), std::invalid_argument);
  }
}

}  // namespace
}  // namespace gradwalk::nn
