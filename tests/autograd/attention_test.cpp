#include "autograd/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/backward.h"
#include "gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::expect_gradient;
using testing::ThrowsMessage;
using In = const std::vector<Variable>&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor drawn(const char* name, const Shape& shape) {
  Generator generator(13, name);
  return normal(shape, generator, DType::kFloat64);
}

// T = 3 queries, S = 5 keys.
std::vector<Tensor> operands(std::int64_t heads, std::int64_t kv_heads) {
  return {drawn("query", {2, heads, 3, 4}), drawn("key", {2, kv_heads, 5, 4}),
          drawn("value", {2, kv_heads, 5, 2})};
}

void expect_attention_gradient(const char* how, const AttentionOptions& options,
                               const std::vector<Tensor>& inputs) {
  expect_gradient(
      std::string("attention, ") + how,
      [&](In in) { return attention(in[0], in[1], in[2], options); }, inputs);
}

AttentionOptions key_padding() {
  AttentionOptions options;
  options.key_padding_mask = from_vector({1, 0, 1, 1, 0, 0, 1, 1, 1, 1}, {2, 5}, DType::kBool);
  return options;
}

AttentionOptions additive(const Shape& shape) {
  AttentionOptions options;
  options.additive_mask = drawn("mask", shape);
  return options;
}

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  ops.push_back(
      {"attention",
       "grouped, causal",
       [](test::OpInputs in) { return attention(in[0], in[1], in[2], {.causal = true}); },
       {test::random({1, 2, 3, 2}), test::random({1, 1, 4, 2}), test::positive({1, 1, 4, 2})},
       true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  const auto causal = [](test::OpInputs in) {
    return attention(in[0], in[1], in[2], {.causal = true});
  };
  works.push_back({"attention", {{2, 3, 130, 32}, {2, 3, 130, 32}, {2, 3, 130, 32}}, causal});
  works.push_back(
      {"attention_grouped", {{2, 6, 77, 20}, {2, 2, 141, 20}, {2, 2, 141, 24}}, causal});
});

TEST(AttentionGrad, EachMask) {
  expect_attention_gradient("no mask", {}, operands(2, 2));
  expect_attention_gradient("no mask", {.scale = 0.8}, operands(1, 1));
  expect_attention_gradient("causal", {.causal = true}, operands(2, 2));
  expect_attention_gradient("key padding", key_padding(), operands(2, 2));
  expect_attention_gradient("additive", additive({2, 2, 3, 5}), operands(2, 2));
  expect_attention_gradient("additive", additive({2, 1, 1}), operands(2, 2));
  AttentionOptions hides = additive({3, 5});
  fill(slice(hides.additive_mask, 1, 1, 3), -kInfinity);
  fill(select(hides.additive_mask, 0, 2), -kInfinity);  // query 2 sees no key
  expect_attention_gradient("additive", hides, operands(2, 2));
}

TEST(AttentionGrad, AllMasksAndGroupsTogether) {
  AttentionOptions options = key_padding();
  options.additive_mask = drawn("mask", {4, 3, 5});
  options.causal = true;
  expect_attention_gradient("grouped, all masks", options, operands(4, 2));
  expect_attention_gradient("grouped", {}, operands(4, 2));
  expect_attention_gradient("grouped", {.causal = true}, operands(3, 1));
}

TEST(AttentionGrad, Views) {
  const auto heads_last = [](const char* name, std::int64_t rows, std::int64_t heads) {
    return permute(drawn(name, {1, rows, heads, 4}), {0, 2, 1, 3});
  };
  expect_attention_gradient(
      "views", {.causal = true},
      {heads_last("query", 3, 4), heads_last("key", 4, 2), heads_last("value", 4, 2)});
  expect_attention_gradient(
      "views", {},
      {transpose(drawn("query", {1, 2, 4, 3})), slice(drawn("key", {1, 2, 10, 8}), 3, 1, 8, 2),
       slice(drawn("value", {1, 4, 10, 3}), 1, 0, 4, 2)});
  expect_attention_gradient("views", {},
                            {expand(drawn("query", {1, 1, 1, 4}), {2, 2, 3, 4}),
                             expand(drawn("key", {1, 2, 5, 1}), {2, 2, 5, 4}),
                             expand(drawn("value", {1, 2, 5, 1}), {2, 2, 5, 3})});
}

TEST(AttentionGrad, SharedInput) {
  expect_gradient("attention, shared input",
                  [](In in) { return attention(in[0], in[0], in[0], {.causal = true}); },
                  {drawn("x", {1, 2, 4, 3})});
}

TEST(AttentionGrad, SizesOfOneAndThreeAxes) {
  expect_attention_gradient(
      "size 1", {},
      {drawn("query", {1, 1, 1, 1}), drawn("key", {1, 1, 1, 1}), drawn("value", {1, 1, 1, 1})});
  expect_attention_gradient(
      "size 1", {},
      {drawn("query", {1, 1, 1, 3}), drawn("key", {1, 1, 6, 3}), drawn("value", {1, 1, 6, 1})});
  expect_attention_gradient(
      "3 axes", {.causal = true},
      {drawn("query", {2, 4, 3}), drawn("key", {1, 4, 3}), drawn("value", {1, 4, 2})});
}

// More than one tile of keys, and a last one that is not full.
TEST(AttentionGrad, SeveralTiles) {
  expect_attention_gradient(
      "several tiles", {.causal = true},
      {drawn("query", {1, 2, 2, 3}), drawn("key", {1, 1, 130, 3}), drawn("value", {1, 1, 130, 2})});
}

// A saved value that was written to gave a gradient of the new values without a word. Query, key,
// value, the result and the masks are saved (BR-09).
TEST(AttentionGrad, Br09NoticesWritesToSavedValues) {
  const Tensor dy = drawn("dy", {2, 2, 3, 2});
  for (const int written : {0, 1, 2, 3, 4, 5}) {
    std::vector<Variable> in;
    for (const Tensor& value : operands(2, 2)) in.push_back(parameter(value));
    AttentionOptions options = key_padding();
    options.additive_mask = drawn("mask", {3, 5});
    const Variable y = attention(in[0], in[1], in[2], options);
    const Tensor saved[] = {
        in[0].value(),        in[1].value(), in[2].value(), y.value(), options.key_padding_mask,
        options.additive_mask};
    fill(slice(saved[written], 0, 0, 1), 0);
    EXPECT_THAT([&] { backward(y, dy); },
                ThrowsMessage<std::logic_error>(
                    "attention: expected the value saved for backward unchanged, got 1 in-place "
                    "write since; saved=" +
                    saved[written].shape().str()));
    EXPECT_FALSE(in[0].grad().defined());
  }
}

TEST(AttentionGrad, ErrorsAreThoseOfTheValue) {
  const auto call = [] {
    attention(parameter(ones({1, 3, 2, 4})), parameter(ones({1, 2, 5, 4})),
              parameter(ones({1, 2, 5, 4})));
  };
  EXPECT_THAT(call, ThrowsMessage<std::invalid_argument>(
                        "attention: expected num_heads % num_kv_heads == 0, got 3 and 2; "
                        "query=[1, 3, 2, 4] key=[1, 2, 5, 4]"));
}

}  // namespace
}  // namespace gradwalk
