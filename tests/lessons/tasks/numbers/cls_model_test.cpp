#include "lessons/tasks/numbers/cls_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "autograd/backward.h"
#include "autograd/reduce.h"
#include "lessons/course/engine/measure.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

using testing::ThrowsMessage;

constexpr ClsModelOptions kSmall = {
    .vocabulary = 9, .classes = 4, .d_model = 6, .heads = 2, .head_dim = 3};

Tensor texts() { return from_vector({0, 3, 8, 3, 0, 1, 2, 7}, {2, 4}, DType::kInt64); }

std::map<std::string, Tensor> weights(const ClsModel& model) {
  const nn::StateDict state = model.state_dict();
  return {state.begin(), state.end()};
}

Tensor row(const Tensor& table, double id) {
  return select(table, 0, static_cast<std::int64_t>(id));
}

// u of one text by the formulas, token by token.
Tensor by_hand(const ClsModel& model, const Tensor& ids, Weighting weighting) {
  auto w = weights(model);
  const std::int64_t heads = model.options().heads, width = model.options().head_dim;
  const Tensor e = w["embedding.weight"];
  const auto part = [&](const char* which, std::int64_t head) {
    return slice(w[std::string("attention.") + which + ".weight"], 0, head * width,
                 (head + 1) * width);
  };
  const std::vector<double> tokens = ids.to_vector();
  Tensor u = row(e, 0);
  for (std::int64_t h = 0; h < heads; ++h) {
    const Tensor q = matmul(part("q_proj", h), row(e, 0));
    std::vector<double> weight;
    double sum = 0;
    for (const double id : tokens) {
      const Tensor k = matmul(part("k_proj", h), row(e, id));
      const double z = gradwalk::sum(q * k).item() / std::sqrt(static_cast<double>(width));
      const auto count = static_cast<double>(tokens.size());
      weight.push_back(weighting == Weighting::kSoftmax   ? std::exp(z)
                       : weighting == Weighting::kUniform ? 1
                       : weighting == Weighting::kSigmoid ? 1 / (1 + std::exp(-z)) / count
                                                          : z / count);
      sum += weight.back();
    }
    const bool normalised = weighting == Weighting::kSoftmax || weighting == Weighting::kUniform;
    const Tensor w_o = slice(w["attention.o_proj.weight"], 1, h * width, (h + 1) * width);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Tensor v = matmul(part("v_proj", h), row(e, tokens[i]));
      u = u + matmul(w_o, v) * (weight[i] / (normalised ? sum : 1));
    }
  }
  return u;
}

TEST(ClsModel, IsItsFormulaWithEachWeighting) {
  for (const Weighting weighting :
       {Weighting::kSoftmax, Weighting::kUniform, Weighting::kSigmoid, Weighting::kLinear}) {
    ClsModelOptions options = kSmall;
    options.weighting = weighting;
    options.embedding_sd = 1;
    const ClsModel model(options, nn::Seed(1));
    const Tensor u = model.summary(texts()).value();
    for (std::int64_t text = 0; text < 2; ++text) {
      EXPECT_EQ(test::difference(select(u, 0, text),
                                 by_hand(model, select(texts(), 0, text), weighting), 1e-5, 1e-6),
                "")
          << static_cast<int>(weighting);
    }
    EXPECT_EQ(model.logits(model.summary(texts())).shape(), Shape({2, 4}));
  }
}

TEST(ClsModel, BeginsAsItSays) {
  const ClsModel model(
      {.vocabulary = 2000, .classes = 500, .d_model = 64, .heads = 4, .head_dim = 32}, nn::Seed(1));
  auto w = weights(model);
  const auto deviation = [&](const char* name) {
    return std::sqrt(mean(w[name] * w[name]).item());
  };
  EXPECT_NEAR(deviation("embedding.weight"), 0.3, 0.01);
  for (const char* name : {"attention.q_proj.weight", "attention.k_proj.weight",
                           "attention.v_proj.weight", "readout.weight"}) {
    EXPECT_NEAR(deviation(name), 1 / 8.0, 0.005) << name;
  }
  EXPECT_NEAR(deviation("attention.o_proj.weight"), 1 / std::sqrt(128.0), 0.005);
  EXPECT_EQ(deviation("readout.bias"), 0);
  EXPECT_EQ(w["attention.q_proj.weight"].shape(), Shape({128, 64}));
}

// Without a say of the scores in the output, nothing moves queries and keys.
TEST(ClsModel, UniformWeightsSendNoGradientToQueriesAndKeys) {
  ClsModelOptions options = kSmall;
  options.weighting = Weighting::kUniform;
  const ClsModel model(options, nn::Seed(1));
  backward(sum(model.logits(model.summary(texts()))));
  for (const nn::NamedParameter& parameter : model.named_parameters()) {
    const double gradient = course::largest(parameter.variable.grad());
    const bool still =
        parameter.name == "attention.q_proj.weight" || parameter.name == "attention.k_proj.weight";
    EXPECT_EQ(gradient == 0, still) << parameter.name;
  }
}

TEST(ClsModel, OneKeyIsTheMeanOfTheEmbeddings) {
  ClsModelOptions options = kSmall;
  options.one_key = 5;
  const ClsModel model(options, nn::Seed(1));
  nn::AttentionTrace trace;
  model.summary(whole_vocabulary(model), {.trace = &trace});
  const Tensor keys = trace.key.value();  // [1, 2, 9, 3]
  EXPECT_EQ(trace.query.shape(), Shape({1, 2, 1, 3}));
  for (std::int64_t id = 2; id <= 5; ++id) {
    EXPECT_EQ(test::difference(select(keys, 2, id), select(keys, 2, 1), 0, 0), "");
  }
  auto w = weights(model);
  const Tensor mean_row = mean(slice(w["embedding.weight"], 0, 1, 6), Axes{0});
  EXPECT_EQ(test::difference(reshape(select(keys, 2, 1), {6}),
                             matmul(w["attention.k_proj.weight"], mean_row), 1e-5, 1e-6),
            "");
  EXPECT_NE(test::difference(select(keys, 2, 6), select(keys, 2, 1), 0, 1e-3), "");
  // Values keep telling the numbers apart.
  EXPECT_NE(test::difference(select(trace.value.value(), 2, 2), select(trace.value.value(), 2, 1),
                             0, 1e-3),
            "");
}

TEST(ClsModel, TablesReplaceWhatKeysOrValuesAreMadeOf) {
  const ClsModel model(kSmall, nn::Seed(1));
  nn::AttentionTrace own, other;
  model.summary(texts(), {.trace = &own});
  const Tensor zero = zeros({9, 6});
  model.summary(texts(), {.trace = &other, .value_table = zero});
  EXPECT_EQ(test::difference(other.weights.value(), own.weights.value(), 0, 0), "");
  EXPECT_EQ(course::largest(other.head_outputs.value()), 0);
  model.summary(texts(), {.trace = &other, .key_table = zero});
  EXPECT_EQ(test::difference(other.weights.value(), full({2, 2, 1, 4}, 0.25), 1e-6), "");
  EXPECT_EQ(test::difference(other.value.value(), own.value.value(), 0, 0), "");
}

TEST(ClsModelError, HasNounsOnlyIfAsked) {
  const ClsModel model(kSmall, nn::Seed(1));
  EXPECT_THAT([&] { model.noun_logits(model.summary(texts())); },
              ThrowsMessage<std::logic_error>("ClsModel: it has no readout of nouns"));
  ClsModelOptions options = kSmall;
  options.noun_classes = 3;
  const ClsModel both(options, nn::Seed(1));
  EXPECT_EQ(both.noun_logits(both.summary(texts())).shape(), Shape({2, 3}));
}

}  // namespace
}  // namespace gradwalk::tasks
