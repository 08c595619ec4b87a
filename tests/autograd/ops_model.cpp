#include "autograd/activation.h"
#include "autograd/attention.h"
#include "autograd/cumsum.h"
#include "autograd/dropout.h"
#include "autograd/embedding.h"
#include "autograd/gather.h"
#include "autograd/join.h"
#include "autograd/layer_norm.h"
#include "autograd/linear.h"
#include "autograd/logsumexp.h"
#include "autograd/matmul.h"
#include "autograd/minmax.h"
#include "autograd/moments.h"
#include "autograd/mse.h"
#include "autograd/power.h"
#include "autograd/reduce.h"
#include "autograd/rms_norm.h"
#include "autograd/rope.h"
#include "autograd/softmax.h"
#include "autograd/sort.h"
#include "autograd/triangle.h"
#include "autograd/where.h"
#include "ops.h"
#include "tensor/create.h"
#include "tensor/random.h"

namespace gradwalk::test {
namespace {

using Inputs = const std::vector<Variable>&;

Tensor ids(std::initializer_list<std::initializer_list<double>> rows) {
  return matrix(rows, DType::kInt64);
}

void add_elementwise(std::vector<OpCase>& ops) {
  const auto unary = [&](const char* name, auto f) {
    ops.push_back({name, "", [f](Inputs in) { return f(in[0]); }, {random({2, 5})}, true});
  };
  using V = const Variable&;
  unary("tanh", [](V x) { return tanh(x); });
  unary("sigmoid", [](V x) { return sigmoid(x); });
  unary("relu", [](V x) { return relu(x); });
  unary("gelu", [](V x) { return gelu(x); });
  unary("gelu", [](V x) { return gelu(x, GeluForm::kTanh); });
  unary("silu", [](V x) { return silu(x); });
  unary("softplus", [](V x) { return softplus(x); });
  unary("abs", [](V x) { return abs(x); });
  unary("clip", [](V x) { return clip(x, -0.5, 0.5); });
  unary("pow", [](V x) { return pow(x, 3); });

  const auto binary = [&](const char* name, auto f, bool saves) {
    const auto call = [f](Inputs in) { return f(in[0], in[1]); };
    ops.push_back({name, "one shape", call, {positive({2, 3}), random({2, 3})}, saves});
    ops.push_back({name, "stretched", call, {positive({3}), random({2, 1})}, saves});
  };
  binary(
      "maximum", [](V a, V b) { return maximum(a, b); }, true);
  binary(
      "minimum", [](V a, V b) { return minimum(a, b); }, true);
  binary(
      "pow", [](V a, V b) { return pow(a, b); }, true);

  const Tensor mask = to(ids({{1, 0, 1}, {0, 0, 1}}), DType::kBool);
  binary(
      "where", [mask](V a, V b) { return where(mask, a, b); }, false);
  ops.push_back({"masked_fill",
                 "",
                 [mask](Inputs in) { return masked_fill(in[0], mask, -7); },
                 {random({2, 3})},
                 false});
}

void add_reduce(std::vector<OpCase>& ops) {
  const auto reduce = [&](const char* name, auto f) {
    const Tensor x = random({2, 3, 4});
    ops.push_back({name, "all", [f](Inputs in) { return f(in[0]); }, {x}, true});
    ops.push_back({name,
                   "two",
                   [f](Inputs in) {
                     return f(in[0], Axes{0, -1}, false);
                   },
                   {x},
                   true});
    ops.push_back({name, "kept", [f](Inputs in) { return f(in[0], 1, true); }, {x}, true});
  };
  reduce("max", [](const Variable& x, auto... how) { return max(x, how...); });
  reduce("min", [](const Variable& x, auto... how) { return min(x, how...); });
  reduce("logsumexp", [](const Variable& x, auto... how) { return logsumexp(x, how...); });
  reduce("var", [](const Variable& x, auto... how) { return var(x, how...); });
  reduce("norm", [](const Variable& x, auto... how) { return norm(x, how...); });
  for (const int axis : {0, -1}) {
    ops.push_back({"log_softmax",
                   "axis " + std::to_string(axis),
                   [axis](Inputs in) { return log_softmax(in[0], axis); },
                   {random({2, 3})},
                   true});
  }
  for (const int axis : {0, 1, -1}) {
    ops.push_back({"cumsum",
                   "axis " + std::to_string(axis),
                   [axis](Inputs in) { return cumsum(in[0], axis); },
                   {random({2, 3, 4})},
                   false});
  }
}

void add_layers(std::vector<OpCase>& ops) {
  const auto add = [&](const char* name, const char* how, auto f, std::vector<Tensor> inputs,
                       bool saves = true) {
    ops.push_back({name, how, f, inputs, saves});
  };
  const Tensor x = random({2, 3, 4});
  add("linear", "", [](Inputs in) { return linear(in[0], in[1]); }, {x, random({5, 4})});
  add("outer", "", [](Inputs in) { return outer(in[0], in[1]); }, {random({3}), random({2})});
  add("linear", "bias", [](Inputs in) { return linear(in[0], in[1], in[2]); },
      {x, random({5, 4}), random({5})});
  add("layer_norm", "gamma and beta", [](Inputs in) { return layer_norm(in[0], in[1], in[2]); },
      {x, random({4}), positive({4})});
  add("attention", "grouped, causal",
      [](Inputs in) { return attention(in[0], in[1], in[2], {.causal = true}); },
      {random({1, 2, 3, 2}), random({1, 1, 4, 2}), positive({1, 1, 4, 2})});
  add("layer_norm", "bare", [](Inputs in) { return layer_norm(in[0]); }, {x});
  add("rms_norm", "bare", [](Inputs in) { return rms_norm(in[0]); }, {x});
  add("rms_norm", "gamma", [](Inputs in) { return rms_norm(in[0], in[1]); }, {x, random({4})});
  add("mse", "", [](Inputs in) { return mse(in[0], in[1]); }, {random({2, 3}), positive({2, 3})});
  add(
      "embedding", "",
      [](Inputs in) {
        return embedding(ids({{1, 0, 1}, {3, 1, 3}}), in[0]);
      },
      {random({4, 2})}, false);
  add(
      "rope", "", [](Inputs in) { return rope(in[0], 2); }, {random({1, 2, 3, 4})}, false);
  add(
      "dropout", "",
      [](Inputs in) {
        Generator generator(3, "dropout");
        return dropout(in[0], 0.5, generator, /*training=*/true);
      },
      {x}, false);
}

void add_layout(std::vector<OpCase>& ops) {
  const auto add = [&](const char* name, const char* how, auto f, std::vector<Tensor> inputs) {
    ops.push_back({name, how, f, inputs, false});
  };
  const Tensor x = random({2, 5});
  const Tensor y = random({2, 3});
  add("take_along_axis", "",
      [](Inputs in) {
        return take_along_axis(in[0], ids({{4, 0, 4}, {1, 2, 1}}), 1);
      },
      {x});
  add("index_select", "",
      [](Inputs in) {
        return index_select(in[0], 1, vector({3, 0, 3}, DType::kInt64));
      },
      {x});
  add("concat", "", [](Inputs in) { return concat({in[0], in[1]}, 1); }, {x, y});
  add("concat", "shared", [](Inputs in) { return concat({in[0], in[0]}, 0); }, {x});
  add("stack", "", [](Inputs in) { return stack({in[0], in[1]}, -1); }, {y, positive({2, 3})});
  add("split", "", [](Inputs in) { return split(in[0], 1, {2, 3})[1]; }, {x});
  add("sort", "", [](Inputs in) { return sort(in[0]).values; }, {x});
  add("topk", "", [](Inputs in) { return topk(in[0], 2, 1).values; }, {x});
  add("tril", "", [](Inputs in) { return tril(in[0], 1); }, {x});
  add("triu", "", [](Inputs in) { return triu(in[0]); }, {x});
}

std::vector<OpCase> model_ops() {
  std::vector<OpCase> ops;
  add_elementwise(ops);
  add_reduce(ops);
  add_layers(ops);
  add_layout(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Model, EveryOp, testing::Values(OpList{model_ops()}));

}  // namespace
}  // namespace gradwalk::test
