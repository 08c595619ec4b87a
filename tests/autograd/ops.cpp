#include "ops.h"

#include <ostream>

#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::test {
namespace {

using Inputs = const std::vector<Variable>&;

void add_elementwise(std::vector<OpCase>& ops) {
  const auto binary = [&](const char* name, Variable (*f)(const Variable&, const Variable&),
                          bool saves) {
    const auto call = [f](Inputs in) { return f(in[0], in[1]); };
    ops.push_back({name, "one shape", call, {random({2, 3}), positive({2, 3})}, saves});
    ops.push_back({name, "b a row", call, {random({2, 3}), positive({3})}, saves});
    ops.push_back({name, "a a row", call, {random({1, 3}), positive({2, 3})}, saves});
    ops.push_back({name, "both stretch", call, {random({2, 1, 3}), positive({4, 1})}, saves});
    ops.push_back({name, "a scalar", call, {random({}), positive({2, 1})}, saves});
    ops.push_back({name, "b scalar", call, {random({2, 1}), positive({})}, saves});
    ops.push_back(
        {name, "shared", [f](Inputs in) { return f(in[0], in[0]); }, {positive({3})}, saves});
  };
  binary("add", add, false);
  binary("sub", sub, false);
  binary("mul", mul, true);
  binary("div", div, true);

  const auto unary = [&](const char* name, const char* how, auto f, bool saves) {
    ops.push_back({name, how, [f](Inputs in) { return f(in[0]); }, {positive({2, 3})}, saves});
  };
  unary(
      "neg", "", [](const Variable& x) { return neg(x); }, false);
  unary(
      "exp", "", [](const Variable& x) { return exp(x); }, true);
  unary(
      "log", "", [](const Variable& x) { return log(x); }, true);
  unary(
      "sqrt", "", [](const Variable& x) { return sqrt(x); }, true);
  unary(
      "add", "x + 2", [](const Variable& x) { return x + 2.0; }, false);
  unary(
      "add", "2 + x", [](const Variable& x) { return 2.0 + x; }, false);
  unary(
      "sub", "x - 2", [](const Variable& x) { return x - 2.0; }, false);
  unary(
      "sub", "2 - x", [](const Variable& x) { return 2.0 - x; }, false);
  unary(
      "mul", "x * 3", [](const Variable& x) { return x * 3.0; }, false);
  unary(
      "mul", "3 * x", [](const Variable& x) { return 3.0 * x; }, false);
  unary(
      "div", "x / 4", [](const Variable& x) { return x / 4.0; }, false);
  unary(
      "div", "4 / x", [](const Variable& x) { return 4.0 / x; }, true);
}

void add_reduce(std::vector<OpCase>& ops) {
  const auto reduce = [&](const char* name, auto f) {
    const Tensor x = random({2, 3, 4});
    ops.push_back({name, "all", [f](Inputs in) { return f(in[0]); }, {x}, false});
    ops.push_back({name, "last", [f](Inputs in) { return f(in[0], -1, false); }, {x}, false});
    ops.push_back({name, "first, kept", [f](Inputs in) { return f(in[0], 0, true); }, {x}, false});
    ops.push_back({name,
                   "two",
                   [f](Inputs in) {
                     return f(in[0], Axes{0, 2}, false);
                   },
                   {x},
                   false});
    ops.push_back({name,
                   "two, kept",
                   [f](Inputs in) {
                     return f(in[0], Axes{-1, 1}, true);
                   },
                   {x},
                   false});
    ops.push_back({name, "none", [f](Inputs in) { return f(in[0], Axes(), false); }, {x}, false});
    ops.push_back(
        {name, "size 1", [f](Inputs in) { return f(in[0], 1, false); }, {random({2, 1})}, false});
    ops.push_back({name, "0-d", [f](Inputs in) { return f(in[0]); }, {random({})}, false});
  };
  reduce("sum", [](const Variable& x, auto... how) { return sum(x, how...); });
  reduce("mean", [](const Variable& x, auto... how) { return mean(x, how...); });
}

void add_matmul(std::vector<OpCase>& ops) {
  const auto product = [&](const char* how, const Shape& a, const Shape& b) {
    const auto call = [](Inputs in) { return matmul(in[0], in[1]); };
    ops.push_back({"matmul", how, call, {random(a), random(b)}, true});
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
  ops.push_back(
      {"matmul", "shared", [](Inputs in) { return matmul(in[0], in[0]); }, {random({3, 3})}, true});
  ops.push_back({"matmul",
                 "shared vector",
                 [](Inputs in) { return matmul(in[0], in[0]); },
                 {random({3})},
                 true});
}

void add_softmax(std::vector<OpCase>& ops) {
  for (const int axis : {0, 1, 2, -1, -3}) {
    ops.push_back({"softmax",
                   "axis " + std::to_string(axis),
                   [axis](Inputs in) { return softmax(in[0], axis); },
                   {random({2, 3, 2})},
                   true});
  }
  ops.push_back(
      {"softmax", "size 1", [](Inputs in) { return softmax(in[0], -1); }, {random({2, 1})}, true});
  const Tensor ids = matrix({{0, 2}, {3, 3}}, DType::kInt64);
  ops.push_back({"cross_entropy",
                 "batches",
                 [ids](Inputs in) { return cross_entropy(in[0], ids); },
                 {random({2, 2, 4})},
                 false});
  const Tensor id = scalar(1, DType::kInt64);
  ops.push_back({"cross_entropy",
                 "one row",
                 [id](Inputs in) { return cross_entropy(in[0], id); },
                 {random({3})},
                 false});
}

void add_layout(std::vector<OpCase>& ops) {
  const auto view = [&](const char* name, const char* how, const Shape& shape, auto f) {
    ops.push_back({name, how, [f](Inputs in) { return f(in[0]); }, {random(shape)}, false});
  };
  using V = const Variable&;
  view("transpose", "", {2, 3, 4}, [](V x) { return transpose(x); });
  view("permute", "", {2, 3, 4}, [](V x) { return permute(x, {2, 0, 1}); });
  view("permute", "negative axes", {2, 3, 4}, [](V x) { return permute(x, {-1, 0, -2}); });
  view("reshape", "view", {2, 3, 4}, [](V x) { return reshape(x, {4, -1}); });
  view("reshape", "of a view", {2, 3}, [](V x) { return reshape(transpose(x), {6}); });
  view("expand", "", {2, 1}, [](V x) { return expand(x, {3, 2, 4}); });
  view("expand", "0-d", {}, [](V x) { return expand(x, {2, 2}); });
  view("slice", "", {4, 3}, [](V x) { return slice(x, 0, 1, 3); });
  view("slice", "steps", {2, 5}, [](V x) { return slice(x, -1, 1, 5, 3); });
  view("slice", "nothing", {2, 3}, [](V x) { return slice(x, 1, 2, 2); });
  view("select", "first axis", {2, 3}, [](V x) { return select(x, 0, 1); });
  view("select", "from the end", {2, 3}, [](V x) { return select(x, -1, -1); });
  view("squeeze", "", {2, 1, 3}, [](V x) { return squeeze(x, 1); });
  view("unsqueeze", "", {2, 3}, [](V x) { return unsqueeze(x, -1); });
}

std::vector<OpCase> basic_ops() {
  std::vector<OpCase> ops;
  add_elementwise(ops);
  add_reduce(ops);
  add_matmul(ops);
  add_softmax(ops);
  add_layout(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Basic, EveryOp, testing::Values(OpList{basic_ops()}));

}  // namespace

void PrintTo(const OpList& list, std::ostream* out) { *out << list.ops.size() << " ops"; }

void EveryOp::for_each_op(const std::function<void(const OpCase&)>& f) const {
  for (const OpCase& op : GetParam().ops) {
    SCOPED_TRACE(op.name + " " + op.how);
    f(op);
  }
}

Tensor random(const Shape& shape) {
  Generator generator(static_cast<std::uint64_t>(shape.numel()), shape.str());
  return normal(shape, generator, DType::kFloat64);
}

// In [0.5, 2): for log, sqrt and divisors.
Tensor positive(const Shape& shape) {
  Generator generator(static_cast<std::uint64_t>(shape.numel()), shape.str());
  return uniform(shape, generator, 0.5, 2, DType::kFloat64);
}

Tensor strided(const Tensor& x) {
  if (x.ndim() >= 2) return transpose(clone(transpose(x)));
  // Every second element of something twice as long.
  const Tensor twice = mul(unsqueeze(x, -1), vector({1, 7}, x.dtype()));
  return select(twice, -1, 0);
}

}  // namespace gradwalk::test
