#include "autograd/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/layout.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/error.h"

// Central differences over vectors, batches and broadcasting: every_op_test.cpp.

namespace gradwalk {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr DType kWide = DType::kFloat64;

const test::OpCases kCases([](std::vector<test::OpCase>& ops) {
  const auto product = [&](const char* how, const Shape& a, const Shape& b) {
    const auto call = [](test::OpInputs in) { return matmul(in[0], in[1]); };
    ops.push_back({"matmul", how, call, {test::random(a), test::random(b)}, true});
  };
  product("matrices", {2, 3}, {3, 4});
  product("size 1", {1, 3}, {3, 1});
  product("outer product", {3, 1}, {1, 2});
  product("batches", {2, 2, 3}, {2, 3, 2});
  product("b for all batches", {2, 2, 3}, {3, 2});
  product("a for all batches", {2, 3}, {2, 3, 2});
  product("both batches stretch", {2, 1, 2, 3}, {3, 3, 2});
  product("matrix and vector", {2, 3}, {3});
  product("vector and matrix", {3}, {3, 2});
  product("vectors", {3}, {3});
  product("batches and vector", {2, 2, 3}, {3});
  product("vector and batches", {3}, {2, 3, 2});
  const auto squared = [](test::OpInputs in) { return matmul(in[0], in[0]); };
  ops.push_back({"matmul", "shared", squared, {test::random({3, 3})}, true});
  ops.push_back({"matmul", "shared vector", squared, {test::random({3})}, true});
});

const test::ThreadCases kThreadCases([](std::vector<test::ThreadCase>& works) {
  const auto product = [&](const char* name, const Shape& a, const Shape& b) {
    works.push_back({name, {a, b}, [](test::OpInputs in) { return matmul(in[0], in[1]); }});
  };
  product("matmul", {301, 517}, {517, 203});
  product("matmul_square", {512, 512}, {512, 512});
  product("matmul_deep", {64, 3001}, {3001, 48});
  product("matmul_batch", {24, 65, 33}, {24, 33, 67});
  product("matmul_vector", {2003, 517}, {517});
  works.push_back({"matmul_nt", {{301, 517}, {203, 517}}, [](test::OpInputs in) {
                     return matmul(in[0], transpose(in[1]));
                   }});
});

// A matrix that serves all batches got a gradient with a batch axis, or that of one entry alone. It
// is used once for each, so its gradient is the sum (BR-08).
TEST(MatmulGrad, MatrixForAllBatches) {
  const Variable a =
      parameter(from_vector({1, 2, -1, 0, 3, 1, 2, -2, 0.5, 1, 1, 1}, {2, 2, 3}, kWide));
  const Variable b = parameter(matrix({{1, -1}, {0.5, 2}, {3, 0}}, kWide));
  const Variable y = matmul(a, b);
  EXPECT_THAT(y.value().to_vector(), ElementsAre(-1, 3, 4.5, 6, 2.5, -6, 4.5, 1));
  backward(y, from_vector({1, 2, -1, 0.5, 0, 1, 3, -2}, {2, 2, 2}, kWide));
  EXPECT_EQ(a.grad().shape(), Shape({2, 2, 3}));
  EXPECT_THAT(a.grad().to_vector(), ElementsAre(-1, 4.5, 3, -1.5, 0.5, -3, -1, 2, 0, 5, -2.5, 9));
  EXPECT_EQ(b.grad().shape(), Shape({3, 2}));
  EXPECT_THAT(b.grad().to_vector(), ElementsAre(4, 2, 2, 1.5, 1, -3));
}

// To transpose a vector does nothing, which hid that the gradient of the matrix beside it must be
// an outer product (BR-08).
TEST(MatmulGrad, MatrixTimesVector) {
  const Variable m = parameter(matrix({{1, 2, 3}, {-1, 0, 2}}, kWide));
  const Variable v = parameter(vector({2, -1, 0.5}, kWide));
  const Variable y = matmul(m, v);
  EXPECT_THAT(y.value().to_vector(), ElementsAre(1.5, -1));
  backward(y, vector({3, -2}, kWide));
  EXPECT_THAT(m.grad().to_vector(), ElementsAre(6, -3, 1.5, -4, 2, -1));
  EXPECT_EQ(v.grad().shape(), Shape({3}));
  EXPECT_THAT(v.grad().to_vector(), ElementsAre(5, 6, 5));
}

TEST(MatmulGrad, SharedVector) {
  const Variable v = parameter(vector({2, -1}, kWide));
  backward(matmul(v, v));
  EXPECT_THAT(v.grad().to_vector(), ElementsAre(4, -2));
}

// A product without terms had gradients of a wrong shape or of unwritten memory. They are zeros of
// the operands' own shapes (BR-32).
TEST(MatmulGrad, SizesOfZero) {
  const auto check = [](const Shape& a_shape, const Shape& b_shape) {
    const Variable a = parameter(ones(a_shape));
    const Variable b = parameter(ones(b_shape));
    const Variable y = matmul(a, b);
    EXPECT_THAT(y.value().to_vector(), Each(0));
    backward(y, ones(y.shape()));
    EXPECT_EQ(a.grad().shape(), a_shape);
    EXPECT_EQ(b.grad().shape(), b_shape);
    EXPECT_THAT(b.grad().to_vector(), Each(0));
  };
  check({3, 0}, {0, 2});
  check({0, 3}, {3, 2});
  check({4, 2, 0}, {4, 0, 5});
  check({0}, {0});
  check({0, 2, 3}, {3, 2});
}

TEST(MatmulError, IsThatOfTheValue) {
  EXPECT_THAT(
      [] {
        matmul(parameter(zeros({2, 3})), parameter(zeros({4, 5})));
      },
      ThrowsMessage<ShapeError>("matmul: expected a.shape[-1] == b.shape[-2], got 3 and 4; "
                                "a=[2, 3] b=[4, 5]"));
}

}  // namespace
}  // namespace gradwalk
