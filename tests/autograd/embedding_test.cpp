#include "autograd/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
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
using Inputs = const std::vector<Variable>&;

Tensor random(const Shape& shape) {
  Generator generator(6, shape.str());
  return normal(shape, generator, DType::kFloat64);
}

Tensor ids(std::initializer_list<double> values) { return vector(values, DType::kInt64); }

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const Tensor table_rows = matrix({{1, 0, 1}, {3, 1, 3}}, DType::kInt64);
  ops.push_back({"embedding",
                 "",
                 [table_rows](test::OpInputs in) { return embedding(table_rows, in[0]); },
                 {test::random({4, 2})},
                 false});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  works.push_back({"embedding", {{701, 129}}, [](test::OpInputs in) {
                     return embedding(test::drawn_ids({4000}, 701), in[0]);
                   }});
});

TEST(EmbeddingGrad, OfTheTable) {
  for (const Tensor& places :
       {ids({2, 0, 2, 1}), scalar(3, DType::kInt64), ids({}),
        transpose(matrix({{0, 1, 1}, {3, 1, 0}}, DType::kInt64)), expand(ids({2}), {3, 2})}) {
    const auto f = [&](Inputs in) { return embedding(places, in[0]); };
    expect_gradient("embedding", f, {random({4, 3})});
    expect_gradient("embedding", f, {transpose(random({3, 4}))});
    expect_gradient("embedding", f, {slice(random({4, 5}), 1, 0, 5, 2)});
    expect_gradient("embedding", f, {expand(random({1, 3}), {4, 3})});
  }
}

// A table that is looked up twice and is the output layer too: three gradients meet.
TEST(EmbeddingGrad, OfASharedTable) {
  expect_gradient("embedding",
                  [](Inputs in) {
                    return matmul(embedding(ids({0, 2, 0}), in[0]),
                                  transpose(embedding(ids({1, 1, 3, 0}), in[0])));
                  },
                  {random({4, 3})});
  expect_gradient("embedding",
                  [](Inputs in) {
                    return matmul(embedding(ids({0, 2, 0}), in[0]), transpose(in[0]));
                  },
                  {random({4, 3})});
}

// A gradient that writes rows, where it should add them, kept only the last of several uses of an
// id (BR-16).
TEST(EmbeddingGrad, RepeatedIds) {
  const auto report = test::bug_report("BR-16");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable weight = parameter(test::tensor_from(report["inputs"]["weight"]));
  const Variable y = embedding(test::tensor_from(report["inputs"]["ids"], DType::kInt64), weight);
  backward(y, test::tensor_from(report["inputs"]["upstream"]));
  EXPECT_EQ(
      test::difference(weight.grad(), test::tensor_from(report["expected"]["grad_weight"]), 0), "");
}

// Ids outside the table were noticed in backward only, or with some options. The check stands in
// the forward, whether a gradient is wanted or not (BR-17).
TEST(EmbeddingGrad, IdsOutsideTheTable) {
  const Variable weight = parameter(zeros({4, 2}));
  EXPECT_THAT(
      [&] {
        embedding(ids({0, 4}), weight);
      },
      ThrowsMessage<std::out_of_range>(
          "embedding: expected ids in [0, 4), got 4 at [1]; ids=[2] weight=[4, 2]"));
  EXPECT_THROW(embedding(ids({-1}), Variable(zeros({4, 2}))), std::out_of_range);
}

TEST(EmbeddingGrad, StaleIdsAreAnErrorAndAWrittenTableIsNot) {
  const Tensor places = ids({1, 1});
  const Tensor dy = random({2, 2});
  const Variable weight = parameter(random({4, 2}));
  const Variable first = embedding(places, weight);
  fill(places, 0);
  EXPECT_THAT([&] { backward(first, dy); },
              ThrowsMessage<std::logic_error>(
                  "embedding: expected the value saved for backward unchanged, got 1 in-place "
                  "write since; saved=[2]"));
  const Variable second = embedding(places, weight);
  mul_into(weight.value(), 0);
  backward(second, dy);
  EXPECT_EQ(weight.grad().at({0, 0}), dy.at({0, 0}) + dy.at({1, 0}));
}

}  // namespace
}  // namespace gradwalk
