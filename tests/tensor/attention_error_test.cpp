#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk {
namespace {

using testing::Each;
using testing::ThrowsMessage;

struct Operands {
  Tensor query = ones({2, 4, 3, 8});
  Tensor key = ones({2, 2, 5, 8});
  Tensor value = ones({2, 2, 5, 6});
  AttentionOptions options;
};

// Both ways into the kernels check the same, under their own names.
template <class Error>
void expect_error(const Operands& o, const std::string& text) {
  EXPECT_THAT([&] { attention(o.query, o.key, o.value, o.options); },
              ThrowsMessage<Error>("attention: " + text));
  const AttentionResult forward{ones({2, 4, 3, 6}), zeros({2, 4, 3}, DType::kFloat64)};
  EXPECT_THAT([&] { attention_backward(o.query, o.key, o.value, o.options, forward, forward.y); },
              ThrowsMessage<Error>("attention_backward: " + text));
  for (const Tensor& x : {o.query, o.key, o.value}) {
    if (!x.defined()) continue;
    EXPECT_THAT(x.to_vector(), Each(1));
  }
}

TEST(AttentionError, UndefinedOperands) {
  for (Tensor Operands::*operand : {&Operands::query, &Operands::key, &Operands::value}) {
    Operands o;
    o.*operand = Tensor();
    expect_error<std::invalid_argument>(o, "expected a tensor, got an undefined one");
  }
}

// 6 / 4 = 1 in whole numbers sent query heads to key/value heads that are not there. Head counts
// that do not divide are an error before anything is computed (BR-21).
TEST(AttentionError, HeadsThatDoNotDivide) {
  for (const auto& [heads, kv_heads] : {std::pair{6, 4}, std::pair{2, 4}, std::pair{4, 0}}) {
    Operands o;
    o.query = ones({2, heads, 3, 8});
    o.key = ones({2, kv_heads, 5, 8});
    o.value = ones({2, kv_heads, 5, 6});
    const auto text = [](int count) { return std::to_string(count); };
    expect_error<ShapeError>(o, "expected num_heads % num_kv_heads == 0, got " + text(heads) +
                                    " and " + text(kv_heads) + "; query=[2, " + text(heads) +
                                    ", 3, 8] key=[2, " + text(kv_heads) + ", 5, 8]");
  }
}

TEST(AttentionError, ShapesThatDoNotFit) {
  Operands o;
  o.query = ones({3, 4, 3, 8});
  expect_error<ShapeError>(o,
                           "expected query.shape[0] == key.shape[0], got 3 and 2; "
                           "query=[3, 4, 3, 8] key=[2, 2, 5, 8]");
  o.query = ones({2, 4, 3, 7});
  expect_error<ShapeError>(o,
                           "expected query.shape[-1] == key.shape[-1], got 7 and 8; "
                           "query=[2, 4, 3, 7] key=[2, 2, 5, 8]");
  o.query = ones({4, 3, 8});
  expect_error<ShapeError>(o,
                           "expected query and key of ndim 4, or both 3, got 3 and 4; "
                           "query=[4, 3, 8] key=[2, 2, 5, 8]");
  o.query = ones({3, 8});
  o.key = ones({5, 8});
  expect_error<ShapeError>(o,
                           "expected query and key of ndim 4, or both 3, got 2 and 2; "
                           "query=[3, 8] key=[5, 8]");
  o = Operands();
  o.query = ones({2, 4, 3, 0});
  o.key = ones({2, 2, 5, 0});
  expect_error<ShapeError>(o, "expected head_dim >= 1, got 0; query=[2, 4, 3, 0] key=[2, 2, 5, 0]");
  for (const Shape& shape : {Shape{2, 2, 4, 6}, Shape{2, 1, 5, 6}, Shape{1, 2, 5, 6}}) {
    o = Operands();
    o.value = ones(shape);
    expect_error<ShapeError>(o, "expected value.shape == key.shape but for the last axis, got " +
                                    shape.str() +
                                    "; query=[2, 4, 3, 8] key=[2, 2, 5, 8] value=" + shape.str());
  }
  o.value = ones({2, 5, 6});
  expect_error<ShapeError>(o,
                           "expected value.shape == key.shape but for the last axis, got "
                           "[2, 5, 6]; query=[2, 4, 3, 8] key=[2, 2, 5, 8] value=[2, 5, 6]");
}

TEST(AttentionError, Dtypes) {
  Operands o;
  o.key = ones({2, 2, 5, 8}, DType::kFloat64);
  expect_error<std::invalid_argument>(o,
                                      "expected one dtype for query and key, got float32 and "
                                      "float64; query=[2, 4, 3, 8] key=[2, 2, 5, 8]");
  o = Operands();
  o.value = ones({2, 2, 5, 6}, DType::kFloat64);
  expect_error<std::invalid_argument>(o,
                                      "expected one dtype for key and value, got float32 and "
                                      "float64; key=[2, 2, 5, 8] value=[2, 2, 5, 6]");
  o.query = to(o.query, DType::kInt64);
  o.key = to(o.key, DType::kInt64);
  expect_error<std::invalid_argument>(
      o, "expected float32 or float64, got int64; query=[2, 4, 3, 8] key=[2, 2, 5, 8]");
}

TEST(AttentionError, Masks) {
  Operands o;
  o.options.key_padding_mask = ones({2, 5});
  expect_error<std::invalid_argument>(
      o, "expected key_padding_mask bool, got float32; key_padding_mask=[2, 5]");
  o.options.key_padding_mask = ones({5}, DType::kBool);
  expect_error<ShapeError>(
      o, "expected key_padding_mask.shape == [2, 5], got [5]; key_padding_mask=[5]");
  o = Operands();
  o.options.additive_mask = ones({3, 5}, DType::kBool);
  expect_error<std::invalid_argument>(o,
                                      "expected one dtype for query and additive_mask, got "
                                      "float32 and bool; query=[2, 4, 3, 8] "
                                      "additive_mask=[3, 5]");
  for (const Shape& shape : {Shape{5, 3}, Shape{2, 3, 5}, Shape{1, 1, 1, 3, 5}}) {
    o.options.additive_mask = ones(shape);
    expect_error<ShapeError>(o, "expected additive_mask that broadcasts to [2, 4, 3, 5], got " +
                                    shape.str() +
                                    "; query=[2, 4, 3, 8] additive_mask=" + shape.str());
  }
}

TEST(AttentionError, Scale) {
  Operands o;
  o.options.scale = std::nan("");
  expect_error<std::invalid_argument>(o, "expected a finite scale, got nan");
}

TEST(AttentionError, WhatTheWayForwardLeft) {
  const Operands o;
  const AttentionResult forward = attention_with_log_sum(o.query, o.key, o.value);
  const auto call = [&](const AttentionResult& result, const Tensor& dy) {
    return [&] { attention_backward(o.query, o.key, o.value, {}, result, dy); };
  };
  EXPECT_THAT(call(forward, ones({2, 4, 3, 8})),
              ThrowsMessage<ShapeError>(
                  "attention_backward: expected y and dy [2, 4, 3, 6] and log_sum [2, 4, 3], got "
                  "[2, 4, 3, 6], [2, 4, 3, 8] and [2, 4, 3]; y=[2, 4, 3, 6] dy=[2, 4, 3, 8] "
                  "log_sum=[2, 4, 3]"));
  EXPECT_THAT(call(forward, ones({2, 4, 3, 6}, DType::kFloat64)),
              ThrowsMessage<std::invalid_argument>(
                  "attention_backward: expected one dtype for y and dy, got float32 and float64; "
                  "y=[2, 4, 3, 6] dy=[2, 4, 3, 6]"));
  const AttentionResult rounded{forward.y, to(forward.log_sum, DType::kFloat32)};
  EXPECT_THAT(call(rounded, forward.y),
              ThrowsMessage<std::invalid_argument>("attention_backward: expected log_sum float64, "
                                                   "got float32; log_sum=[2, 4, 3]"));
  EXPECT_THAT(call({forward.y, {}}, forward.y),
              ThrowsMessage<std::invalid_argument>(
                  "attention_backward: expected a tensor, got an undefined one"));
}

}  // namespace
}  // namespace gradwalk
