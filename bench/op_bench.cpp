// The other ops, against copying the bytes that a fused kernel must move: every input read once,
// every output written once.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "autograd/activation.h"
#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/embedding.h"
#include "autograd/layer_norm.h"
#include "autograd/softmax.h"
#include "bench/limits.h"
#include "bench/workloads.h"
#include "tensor/activation.h"
#include "tensor/adamw.h"
#include "tensor/create.h"
#include "tensor/cross_entropy.h"
#include "tensor/dropout.h"
#include "tensor/elementwise.h"
#include "tensor/embedding.h"
#include "tensor/layer_norm.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/activation.h"
#include "tensor/reference/adamw.h"
#include "tensor/reference/cross_entropy.h"
#include "tensor/reference/dropout.h"
#include "tensor/reference/elementwise.h"
#include "tensor/reference/embedding.h"
#include "tensor/reference/layer_norm.h"
#include "tensor/reference/reduce.h"
#include "tensor/reference/rms_norm.h"
#include "tensor/reference/softmax.h"
#include "tensor/rms_norm.h"
#include "tensor/softmax.h"

namespace gradwalk::bench {
namespace {

using Variables = std::vector<Variable>;

constexpr double kTolerance = 1e-5;

// One op: how ours and the naive loops compute it. Inputs are drawn when it is run.
struct Op {
  std::string name;
  std::string sizes;
  double bytes;
  double bytes_backward;  // with forward; 0: forward alone
  Tensors (*inputs)();
  Tensor (*ours)(const Tensors&);
  Tensor (*naive)(const Tensors&);
  Variable (*taped)(const Variables&) = nullptr;
  Tensors (*naive_backward)(const Tensors&, const Tensor& dy) = nullptr;
  double share = 1;  // of the inputs' rows, for the naive loops' backward
  double tolerance = kTolerance;
};

Tensor draw(const Shape& shape, const char* name) {
  Generator generator(/*seed=*/1, name);
  return normal(shape, generator);
}

Tensor draw_ids(std::int64_t count, std::int64_t below) {
  Generator generator(/*seed=*/1, "ids");
  Tensor ids("draw_ids", {count}, DType::kInt64);
  auto* id = ids.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) id[i] = generator.below(below);
  return ids;
}

Tensors scores() { return {draw({48, 256, 256}, "scores")}; }
Tensors hidden() {  // with gamma and beta
  return {draw({2048, 384}, "x"), draw({384}, "gamma"), draw({384}, "beta")};
}
Tensors wide() { return {draw({2048, 1536}, "wide")}; }
Tensors two_wide() { return {draw({2048, 1536}, "wide"), draw({2048, 1536}, "other")}; }
Tensors wide_and_row() { return {draw({2048, 1536}, "wide"), draw({1536}, "row")}; }
Tensors logits() { return {draw({2048, 5000}, "logits"), draw_ids(2048, 5000)}; }
Tensors table() { return {draw_ids(2048, 5000), draw({5000, 384}, "table")}; }
Tensors heads() { return {draw({4, 256, 6, 64}, "heads")}; }
Tensors square() { return {draw({1024, 1024}, "square")}; }

constexpr double kScores = 4.0 * 48 * 256 * 256;
constexpr double kHidden = 4.0 * 2048 * 384;
constexpr double kWide = 4.0 * 2048 * 1536;
constexpr double kLogits = 4.0 * 2048 * 5000;
constexpr double kTable = 4.0 * 5000 * 384;
constexpr double kHeadsBytes = 4.0 * 4 * 256 * 6 * 64;
constexpr double kSquare = 4.0 * 1024 * 1024;

constexpr double kEps = 1e-5;     // of layer_norm
constexpr double kRmsEps = 1e-6;  // of rms_norm

// The element at each place of y, read one by one: what a naive copy of a view is.
Tensor naive_copy(const Tensor& view) {
  return from_vector(view.to_vector(), view.shape(), view.dtype());
}

std::vector<Op> ops() {
  return {
      {"softmax", "48x256x256", 2 * kScores, 5 * kScores, scores,
       [](const Tensors& in) { return softmax(in[0], -1); },
       [](const Tensors& in) { return reference::softmax(in[0], 2); },
       [](const Variables& in) { return softmax(in[0], -1); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         return {reference::softmax_backward(reference::softmax(in[0], 2), dy, 2)};
       },
       /*share=*/1.0 / 16},
      {"layer_norm", "2048x384", 2 * kHidden, 5 * kHidden, hidden,
       [](const Tensors& in) { return layer_norm(in[0], in[1], in[2], kEps); },
       [](const Tensors& in) { return reference::layer_norm(in[0], in[1], in[2], kEps); },
       [](const Variables& in) { return layer_norm(in[0], in[1], in[2], kEps); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         reference::layer_norm(in[0], in[1], in[2], kEps);
         const LayerNormGrads grads = reference::layer_norm_backward(in[0], in[1], kEps, dy);
         return {grads.dx, grads.dgamma, grads.dbeta};
       }},
      {"rms_norm", "2048x384", 2 * kHidden, 0,
       [] {
         return Tensors{draw({2048, 384}, "x"), draw({384}, "gamma")};
       },
       [](const Tensors& in) { return rms_norm(in[0], in[1], kRmsEps); },
       [](const Tensors& in) { return reference::rms_norm(in[0], in[1], kRmsEps); }},
      {"gelu_erf", "2048x1536", 2 * kWide, 5 * kWide, wide,
       [](const Tensors& in) { return gelu(in[0]); },
       [](const Tensors& in) { return reference::gelu(in[0]); },
       [](const Variables& in) { return gelu(in[0]); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         reference::gelu(in[0]);
         return {reference::gelu_backward(in[0], dy)};
       }},
      {"gelu_tanh", "2048x1536", 2 * kWide, 5 * kWide, wide,
       [](const Tensors& in) { return gelu(in[0], GeluForm::kTanh); },
       [](const Tensors& in) { return reference::gelu(in[0], GeluForm::kTanh); },
       [](const Variables& in) { return gelu(in[0], GeluForm::kTanh); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         reference::gelu(in[0], GeluForm::kTanh);
         return {reference::gelu_backward(in[0], dy, GeluForm::kTanh)};
       }},
      {"add", "2048x1536", 3 * kWide, 0, two_wide,
       [](const Tensors& in) { return add(in[0], in[1]); },
       [](const Tensors& in) { return reference::add(in[0], in[1]); }},
      {"relu", "2048x1536", 2 * kWide, 0, wide, [](const Tensors& in) { return relu(in[0]); },
       [](const Tensors& in) { return reference::relu(in[0]); }},
      {"exp", "2048x1536", 2 * kWide, 0, wide, [](const Tensors& in) { return exp(in[0]); },
       [](const Tensors& in) { return reference::exp(in[0]); }},
      {"bias_add", "2048x1536", 2 * kWide, 0, wide_and_row,
       [](const Tensors& in) { return add(in[0], in[1]); },
       [](const Tensors& in) { return reference::add(in[0], in[1]); }},
      {"sum_all", "2048x1536", kWide, 0, wide, [](const Tensors& in) { return sum(in[0]); },
       [](const Tensors& in) {
         return reference::sum(in[0], {0, 1}, false);
       },
       nullptr, nullptr, 1,
       /*tolerance=*/1e-3},  // terms of both signs: the sum is far smaller than what is added
      {"sum_rows", "2048x1536", kWide, 0, wide, [](const Tensors& in) { return sum(in[0], 0); },
       [](const Tensors& in) { return reference::sum(in[0], {0}, false); }},
      {"sum_cols", "2048x1536", kWide, 0, wide, [](const Tensors& in) { return sum(in[0], 1); },
       [](const Tensors& in) { return reference::sum(in[0], {1}, false); }},
      {"permute_heads", "4x256x6x64", 2 * kHeadsBytes, 0, heads,
       [](const Tensors& in) {
         return contiguous(permute(in[0], {0, 2, 1, 3}));
       },
       [](const Tensors& in) {
         return naive_copy(permute(in[0], {0, 2, 1, 3}));
       },
       nullptr, nullptr, 1, /*tolerance=*/0},
      {"transpose", "1024x1024", 2 * kSquare, 0, square,
       [](const Tensors& in) { return contiguous(transpose(in[0])); },
       [](const Tensors& in) { return naive_copy(transpose(in[0])); }, nullptr, nullptr, 1,
       /*tolerance=*/0},
      {"cross_entropy", "2048x5000", kLogits, 2 * kLogits, logits,
       [](const Tensors& in) { return cross_entropy(in[0], in[1]); },
       [](const Tensors& in) { return reference::cross_entropy(in[0], in[1]); },
       [](const Variables& in) { return cross_entropy(in[0], in[1].value()); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         reference::cross_entropy(in[0], in[1]);
         return {reference::cross_entropy_backward(in[0], in[1], dy)};
       }},
      {"embedding", "2048of5000x384", 2 * kHidden, 3 * kHidden + kTable, table,
       [](const Tensors& in) { return embedding(in[0], in[1]); },
       [](const Tensors& in) { return reference::embedding(in[0], in[1]); },
       [](const Variables& in) { return embedding(in[0].value(), in[1]); },
       [](const Tensors& in, const Tensor& dy) -> Tensors {
         reference::embedding(in[0], in[1]);
         return {reference::embedding_backward(in[0], in[1].shape()[0], dy)};
       }},
  };
}

std::vector<Contender> forward(const Op& op, const Peers& peers) {
  const Tensors in = op.inputs();
  std::vector<Contender> all{
      copy_limit(op.bytes),
      {"ours", [op, in] { op.ours(in); }, [op, in]() -> Tensors { return {op.ours(in)}; }},
      {"naive", [op, in] { op.naive(in); }, [op, in]() -> Tensors { return {op.naive(in)}; }}};
  const OpCall call{op.name, in, {}};
  add_ways(all, peers, [&](Peer& peer) { return peer.op(call); });
  return all;
}

// The gradients of all float32 inputs.
std::vector<Contender> forward_backward(const Op& op, const Peers& peers) {
  const Tensors in = op.inputs();
  const Tensor dy = [&] {
    const Shape shape = op.ours(in).shape();
    return shape.ndim() == 0 ? ones(shape) : draw(shape, "dy");
  }();
  Variables leaves;
  Variables wanted;
  for (const Tensor& input : in) {
    const bool differentiable = input.dtype() == DType::kFloat32;
    leaves.push_back(differentiable ? parameter(input) : Variable(input));
    if (differentiable) wanted.push_back(leaves.back());
  }
  const auto ours = [=] {
    for (const Variable& leaf : wanted) leaf.zero_grad();
    backward(op.taped(leaves), dy);
  };
  const auto rows = [&op](const Tensor& x) {
    const auto part = static_cast<std::int64_t>(static_cast<double>(x.shape()[0]) * op.share);
    return slice(x, 0, 0, part);
  };
  const Tensors naive_in = op.share < 1 ? Tensors{rows(in[0])} : in;
  const Tensor naive_dy = op.share < 1 ? rows(dy) : dy;
  const auto naive = [=] { return op.naive_backward(naive_in, naive_dy); };
  std::vector<Contender> all{copy_limit(op.bytes_backward),
                             {"ours", ours,
                              [=] {
                                ours();
                                Tensors grads;
                                for (const Variable& leaf : wanted) grads.push_back(leaf.grad());
                                return grads;
                              }},
                             {"naive", [naive] { naive(); }, naive, op.share}};
  const OpCall call{op.name, in, dy};
  add_ways(all, peers, [&](Peer& peer) { return peer.op(call); });
  return all;
}

// Libraries draw different numbers, so each result is turned into what all must share: x / (1 - p)
// where x was kept, filled in where it was dropped, and how many were kept.
Tensors what_dropout_shares(const Tensor& x, const Tensor& y, double p) {
  Tensor filled = clone(x) * (1 / (1 - p));
  auto* value = filled.mutable_data<float>();
  const float* out = y.data<float>();
  double kept = 0;
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    if (out[i] == 0) continue;
    value[i] = out[i];
    ++kept;
  }
  return {filled, full({1}, kept)};
}

std::vector<Contender> dropout_contenders(const Peers& peers) {
  constexpr double kP = 0.1;
  const Tensor x = wide()[0];
  const auto generator = std::make_shared<Generator>(/*seed=*/1, "dropout");
  std::vector<Contender> all{
      copy_limit(2 * kWide),
      {"ours", [=] { dropout(x, kP, *generator, /*training=*/true); },
       [=] { return what_dropout_shares(x, dropout(x, kP, *generator, /*training=*/true), kP); }},
      {"naive", [=] { reference::dropout(x, kP, *generator); },
       [=] { return what_dropout_shares(x, reference::dropout(x, kP, *generator), kP); }}};
  const OpCall call{"dropout", {x}, {}};
  add_ways(all, peers, [&](Peer& peer) {
    std::vector<Contender> ways = peer.op(call);
    for (Contender& way : ways) {
      way.result = [=, result = way.result] { return what_dropout_shares(x, result()[0], kP); };
    }
    return ways;
  });
  return all;
}

// Parameter, gradient and both means are read, all but the gradient written. A check starts anew.
constexpr AdamWOptions kAdamW{
    .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.1};

std::vector<Contender> adamw_contenders(std::int64_t count, const Peers& peers) {
  const Tensor start = draw({count}, "parameter");
  const Tensor grad = draw({count}, "grad") * 1e-3;
  struct State {
    Tensor parameter, m, v;
    std::int64_t steps = 0;
  };
  const auto fresh = [=] { return State{clone(start), zeros({count}), zeros({count})}; };
  const auto step = [=](State& state) {
    adamw_step(state.parameter, grad, state.m, state.v, ++state.steps, kAdamW);
  };
  const auto state = std::make_shared<State>(fresh());
  const Tensor none = zeros({count});
  const auto naive = [=] {
    return reference::adamw_step(start, grad, none, none, 1, kAdamW).param;
  };
  std::vector<Contender> all{copy_limit(7 * 4.0 * static_cast<double>(count)),
                             {"ours", [=] { step(*state); },
                              [=]() -> Tensors {
                                State first = fresh();
                                step(first);
                                return {first.parameter};
                              }},
                             {"naive", [=] { naive(); }, [=]() -> Tensors { return {naive()}; }}};
  add_ways(all, peers, [&](Peer& peer) { return peer.adamw(start, grad); });
  return all;
}

}  // namespace

std::vector<Workload> op_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  for (const Op& op : ops()) {
    const bool layout = op.name == "permute_heads" || op.name == "transpose";
    workloads.push_back({op.name + (layout ? "." : ".fwd.") + op.sizes, kMicroseconds, 1,
                         op.tolerance, [op, peers] { return forward(op, peers); }});
    if (op.taped == nullptr) continue;
    workloads.push_back({op.name + ".fwdbwd." + op.sizes, kMicroseconds, 1, op.tolerance,
                         [op, peers] { return forward_backward(op, peers); }});
  }
  // Of 2.8 million draws the number kept scatters by 0.02 %.
  workloads.push_back({"dropout.fwd.2048x1536", kMicroseconds, 1, /*tolerance=*/1e-3,
                       [peers] { return dropout_contenders(peers); }});
  for (const std::int64_t mebi : {1, 10}) {
    workloads.push_back({fmt::format("adamw.step.{}Mi", mebi), kMicroseconds, 1, kTolerance,
                         [=] { return adamw_contenders(mebi << 20, peers); }});
  }
  return workloads;
}

}  // namespace gradwalk::bench
