// Causal attention, 2 x 6 heads of width 64. Flops are those of the half that the mask leaves: two
// products forward, four more backward.

#include <fmt/format.h>

#include <algorithm>

#include "autograd/attention.h"
#include "autograd/backward.h"
#include "bench/limits.h"
#include "bench/workloads.h"
#include "tensor/allocator.h"
#include "tensor/attention.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reference/attention.h"

namespace gradwalk::bench {
namespace {

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kHeads = 6;
constexpr std::int64_t kWidth = 64;

const AttentionOptions kCausal{.causal = true};

struct Operands {
  Tensor query, key, value, dy;
};

Operands draw(std::int64_t seq_len) {
  Generator generator(/*seed=*/1, "attention");
  const Shape shape{kBatch, kHeads, seq_len, kWidth};
  Operands in;
  for (Tensor* x : {&in.query, &in.key, &in.value, &in.dy}) *x = normal(shape, generator);
  return in;
}

// One head stands for all: they are alike, and the naive loops are slow.
Operands first_head(const Operands& in) {
  const auto first = [](const Tensor& x) { return slice(slice(x, 0, 0, 1), 1, 0, 1); };
  return {first(in.query), first(in.key), first(in.value), first(in.dy)};
}
constexpr double kOneHead = 1.0 / (kBatch * kHeads);

std::vector<Contender> forward(std::int64_t seq_len, double flops, const Peers& peers) {
  const Operands in = draw(seq_len);
  const auto ours = [in] { return attention(in.query, in.key, in.value, kCausal); };
  const auto naive = [head = first_head(in)] {
    return reference::attention(head.query, head.key, head.value, kCausal);
  };
  std::vector<Contender> all{
      fma_limit(flops),
      {"ours", [ours] { ours(); }, [ours]() -> Tensors { return {ours()}; }},
      {"naive", [naive] { naive(); }, [naive]() -> Tensors { return {naive()}; }, kOneHead}};
  const OpCall call{"attention", {in.query, in.key, in.value}, {}};
  add_ways(all, peers, [&](Peer& peer) { return peer.op(call); });
  return all;
}

std::vector<Contender> forward_backward(std::int64_t seq_len, double flops, const Peers& peers) {
  const Operands in = draw(seq_len);
  const std::vector<Variable> leaves{parameter(in.query), parameter(in.key), parameter(in.value)};
  const auto ours = [leaves, dy = in.dy] {
    for (const Variable& leaf : leaves) leaf.zero_grad();
    backward(attention(leaves[0], leaves[1], leaves[2], kCausal), dy);
  };
  std::vector<Contender> all{fma_limit(flops),
                             {"ours", ours, [ours, leaves]() -> Tensors {
                                ours();
                                return {leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
                              }}};
  // Their backward takes T^3 steps: some seconds at 1024.
  if (seq_len < 1024) {
    const auto naive = [head = first_head(in)] {
      reference::attention(head.query, head.key, head.value, kCausal);
      return reference::attention_backward(head.query, head.key, head.value, kCausal, head.dy);
    };
    all.push_back({"naive", [naive] { naive(); },
                   [naive]() -> Tensors {
                     const AttentionGrads grads = naive();
                     return {grads.dquery, grads.dkey, grads.dvalue};
                   },
                   kOneHead});
  }
  const OpCall call{"attention", {in.query, in.key, in.value}, in.dy};
  add_ways(all, peers, [&](Peer& peer) { return peer.op(call); });
  return all;
}

// MiB that forward and backward of one head take at most beside their inputs: linear in T.
double memory_of(std::int64_t seq_len) {
  Generator generator(/*seed=*/1, "attention");
  const Shape shape{1, 1, seq_len, kWidth};
  const std::vector<Variable> leaves{parameter(normal(shape, generator)),
                                     parameter(normal(shape, generator)),
                                     parameter(normal(shape, generator))};
  const Tensor dy = normal(shape, generator);
  reset_peak_memory();
  const std::int64_t before = memory_stats().used_bytes;
  backward(attention(leaves[0], leaves[1], leaves[2], kCausal), dy);
  return static_cast<double>(memory_stats().peak_used_bytes - before) / (1 << 20);
}

}  // namespace

std::vector<Workload> attention_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  for (const std::int64_t seq_len : {64, 256, 1024, 2048}) {
    const double flops = 2.0 * static_cast<double>(kBatch * kHeads * seq_len * seq_len * kWidth);
    const std::string sizes = fmt::format("B{}H{}T{}D{}", kBatch, kHeads, seq_len, kWidth);
    workloads.push_back({"attention.fwd." + sizes, kGflops, flops / 1e9, /*tolerance=*/1e-5,
                         [=] { return forward(seq_len, flops, peers); }});
    workloads.push_back({"attention.fwdbwd." + sizes, kGflops, 3 * flops / 1e9, /*tolerance=*/1e-5,
                         [=] { return forward_backward(seq_len, 3 * flops, peers); }});
  }
  for (const std::int64_t seq_len : {512, 1024, 2048, 4096, 8192}) {
    workloads.push_back(
        {fmt::format("attention.memory.B1H1T{}D{}", seq_len, kWidth), kMebibytes, 1, 0, [seq_len] {
           Contender ours{"ours", {}};
           ours.reading = [seq_len] { return memory_of(seq_len); };
           return std::vector{ours};
         }});
  }
  return workloads;
}

}  // namespace gradwalk::bench
