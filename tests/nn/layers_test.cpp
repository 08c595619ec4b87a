// Linear, Embedding, LayerNorm, RmsNorm, Dropout and FeedForward: that each is the formula of its
// header on its own parameters. The ops are tested in tests/tensor and tests/autograd.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "autograd/activation.h"
#include "autograd/elementwise.h"
#include "autograd/grad_check.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/moments.h"
#include "autograd/reduce.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/feed_forward.h"
#include "nn/linear.h"
#include "nn/norm.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr DType kDouble = DType::kFloat64;
constexpr LinearOptions kLinear{.init = {InitScheme::kNormal, 1}, .dtype = kDouble};

Tensor random(const Shape& shape) {
  Generator generator(3, "layers");
  return normal(shape, generator, kDouble);
}

// Biases and gains begin at constants, which would hide a missing one.
void randomise(const Module& module) {
  Generator generator(8, "parameters");
  for (const Variable& parameter : module.parameters()) {
    copy_into(parameter.value(), normal(parameter.shape(), generator, kDouble));
  }
}

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> all;
  for (const NamedParameter& parameter : module.named_parameters()) {
    all.push_back(parameter.name + " " + parameter.variable.shape().str());
  }
  return all;
}

void expect_equal(const Variable& got, const Variable& want) {
  EXPECT_EQ(test::difference(got.value(), want.value(), 1e-12, 1e-13), "");
}

TEST(Linear, IsXTimesWeightTransposedPlusBias) {
  const Linear layer(3, 2, Seed(1), kLinear);
  EXPECT_THAT(names(layer), ElementsAre("weight [2, 3]", "bias [2]"));
  EXPECT_EQ(layer.bias().value().to_vector(), zeros({2}).to_vector());
  randomise(layer);
  const Variable x = random({4, 5, 3});
  expect_equal(layer(x), matmul(x, transpose(layer.weight())) + layer.bias());
  LinearOptions options = kLinear;
  options.bias = false;
  const Linear plain(3, 2, Seed(1), options);
  EXPECT_THAT(names(plain), ElementsAre("weight [2, 3]"));
  EXPECT_FALSE(plain.bias().defined());
  expect_equal(plain(x), matmul(x, transpose(plain.weight())));
}

TEST(Embedding, LooksUpRows) {
  const Embedding table(5, 2, Seed(1), {.init = {InitScheme::kNormal, 1}, .dtype = kDouble});
  EXPECT_THAT(names(table), ElementsAre("weight [5, 2]"));
  const Tensor ids = to(matrix({{3, 0}, {3, 4}}), DType::kInt64);
  const Variable rows = table(ids);
  EXPECT_EQ(rows.shape(), Shape({2, 2, 2}));
  EXPECT_EQ(select(select(rows.value(), 0, 1), 0, 0).to_vector(),
            select(table.weight().value(), 0, 3).to_vector());
  EXPECT_THROW(table(to(vector({5}), DType::kInt64)), std::out_of_range);
}

TEST(Norms, AreTheirFormulas) {
  const Variable x = random({3, 4, 6});
  const LayerNorm layer_norm(6, {.eps = 0.1, .dtype = kDouble});
  EXPECT_THAT(names(layer_norm), ElementsAre("weight [6]", "bias [6]"));
  randomise(layer_norm);
  const std::vector<Variable> own = layer_norm.parameters();
  const Variable centred = x - mean(x, -1, /*keepdims=*/true);
  const Variable variance = mean(centred * centred, -1, /*keepdims=*/true);
  expect_equal(layer_norm(x), centred / sqrt(variance + 0.1) * own[0] + own[1]);

  const RmsNorm rms_norm(6, {.eps = 0.1, .dtype = kDouble});
  EXPECT_THAT(names(rms_norm), ElementsAre("weight [6]"));
  randomise(rms_norm);
  const Variable squares = mean(x * x, -1, /*keepdims=*/true);
  expect_equal(rms_norm(x), x / sqrt(squares + 0.1) * rms_norm.parameters()[0]);

  const LayerNorm bare(6, {.learned = false, .dtype = kDouble});
  EXPECT_TRUE(bare.parameters().empty());
  EXPECT_NEAR(var(bare(x), -1, false, 0).value().at({0, 0}), 1, 1e-4);

  const std::unique_ptr<Norm> none = make_norm(NormKind::kNone, 6, {});
  EXPECT_TRUE(none->parameters().empty());
  expect_equal((*none)(x), x);
}

TEST(Dropout, DropsInTrainingOnlyAndGoesOnFromCallToCall) {
  Dropout drop(0.25, Seed(1));
  const Variable x = ones({1000});
  const Tensor first = drop(x).value();
  const Tensor second = drop(x).value();
  EXPECT_NE(first.to_vector(), second.to_vector());
  std::int64_t dropped = 0;
  for (const double value : first.to_vector()) {
    EXPECT_TRUE(value == 0 || std::abs(value - 4.0 / 3) < 1e-6);
    dropped += value == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(dropped), 250, 5 * std::sqrt(1000 * 0.25 * 0.75));
  drop.eval();
  EXPECT_EQ(drop(x).node(), x.node());
  Dropout again(0.25, Seed(1));
  EXPECT_EQ(again(x).value().to_vector(), first.to_vector());
}

TEST(FeedForward, IsItsFormulaInBothKinds) {
  const Variable x = random({2, 3, 4});
  const auto apply = [](const Variable& in, const std::vector<Variable>& p, std::size_t at) {
    return matmul(in, transpose(p[at])) + p[at + 1];
  };
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    const FeedForward layer(4, 10, Seed(1), {.gelu = form, .linear = kLinear});
    EXPECT_THAT(names(layer), ElementsAre("up_proj.weight [10, 4]", "up_proj.bias [10]",
                                          "down_proj.weight [4, 10]", "down_proj.bias [4]"));
    randomise(layer);
    const std::vector<Variable> p = layer.parameters();
    expect_equal(layer(x), apply(gelu(apply(x, p, 0), form), p, 2));
  }
  const FeedForward layer(4, 10, Seed(1), {.kind = FeedForwardKind::kSwiGlu, .linear = kLinear});
  EXPECT_THAT(names(layer), ElementsAre("gate_proj.weight [10, 4]", "gate_proj.bias [10]",
                                        "up_proj.weight [10, 4]", "up_proj.bias [10]",
                                        "down_proj.weight [4, 10]", "down_proj.bias [4]"));
  randomise(layer);
  const std::vector<Variable> p = layer.parameters();
  expect_equal(layer(x), apply(silu(apply(x, p, 0)) * apply(x, p, 2), p, 4));
}

TEST(LayerError, Texts) {
  EXPECT_THAT(
      [] { Linear(0, 2, Seed(1)); },
      ThrowsMessage<std::invalid_argument>("Linear: expected in >= 1 and out >= 1, got 0 and 2"));
  EXPECT_THAT([] { Embedding(2, -1, Seed(1)); },
              ThrowsMessage<std::invalid_argument>(
                  "Embedding: expected count >= 1 and features >= 1, got 2 and -1"));
  const Init negative{InitScheme::kNormal, -1};
  EXPECT_THAT([&] { Linear(2, 3, Seed(1), {.init = negative}); },
              ThrowsMessage<std::invalid_argument>(
                  "Linear: expected a finite gain >= 0, got -1; shape=[3, 2]"));
  EXPECT_THAT([&] { Embedding(2, 3, Seed(1), {.init = negative}); },
              ThrowsMessage<std::invalid_argument>(
                  "Embedding: expected a finite gain >= 0, got -1; shape=[2, 3]"));
  EXPECT_THAT([] { LayerNorm(0); },
              ThrowsMessage<std::invalid_argument>("LayerNorm: expected features >= 1, got 0"));
  EXPECT_THAT([] { RmsNorm(0); },
              ThrowsMessage<std::invalid_argument>("RmsNorm: expected features >= 1, got 0"));
  EXPECT_THAT([] { Dropout(1.5, Seed(1)); },
              ThrowsMessage<std::invalid_argument>("Dropout: expected 0 <= p <= 1, got 1.5"));
}

}  // namespace
}  // namespace gradwalk::nn
