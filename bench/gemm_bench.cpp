// Matrix products as lessons and transformers have them: squares, layers, heads in batches, and one
// row times a matrix, which is bound by reading the matrix.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/limits.h"
#include "bench/workloads.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::bench {
namespace {

constexpr double kNaiveFlops = 1e8;  // more is done in part by the naive loops

struct Sizes {
  bool ta, tb;
  std::int64_t m, n, k, batch = 1;

  double flops() const { return 2.0 * static_cast<double>(m * n * k * batch); }
  double bytes() const { return 4.0 * static_cast<double>((m * k + k * n + m * n) * batch); }
  std::string name() const {
    const std::string sizes =
        fmt::format("gemm.{}{}.{}x{}x{}", ta ? 't' : 'n', tb ? 't' : 'n', m, n, k);
    return batch > 1 ? fmt::format("{}.b{}", sizes, batch) : sizes;
  }
};

std::vector<Sizes> all_sizes() {
  std::vector<Sizes> all;
  for (const std::int64_t n : {4, 16, 64, 128, 256, 512, 1024, 2048}) {
    all.push_back({false, false, n, n, n});
  }
  for (const std::int64_t m : {256, 1024}) {  // y = x W
    for (const std::int64_t n : {1152, 1536, 384}) all.push_back({false, false, m, n, 384});
  }
  all.push_back({false, false, 1024, 384, 1536});
  for (const std::int64_t n : {1152, 1536, 384}) {
    all.push_back({false, true, 1024, n, 384});                // y = x W^T
    all.push_back({true, false, 384, n, 1024});                // dW = x^T dy
    if (n != 384) all.push_back({false, true, 1024, 384, n});  // dx = dy W^T
  }
  all.push_back({false, true, 64, 64, 32, 48});  // heads: query key^T, then weights value
  all.push_back({false, false, 64, 32, 64, 48});
  all.push_back({false, true, 256, 256, 64, 24});
  all.push_back({false, false, 256, 64, 256, 24});
  for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{288, 288},
                             {768, 288},
                             {1536, 384},
                             {32000, 288},
                             {4096, 4096}}) {
    all.push_back({false, true, 1, n, k});  // one token: y = x W^T
    all.push_back({false, false, 1, n, k});
  }
  return all;
}

Tensor operand(std::int64_t batch, std::int64_t rows, std::int64_t columns, const char* name) {
  Generator generator(/*seed=*/1, name);
  return batch > 1 ? normal({batch, rows, columns}, generator) : normal({rows, columns}, generator);
}

// The first rows of the result, or the first of the batch: as many as take a moment.
Contender naive(const Sizes& sizes, const Tensor& a, const Tensor& b) {
  const std::int64_t items = sizes.batch > 1 ? sizes.batch : sizes.m;
  const auto fit =
      static_cast<std::int64_t>(static_cast<double>(items) * kNaiveFlops / sizes.flops());
  const std::int64_t part = std::clamp<std::int64_t>(fit, 1, items);
  const Tensor left = slice(a, 0, 0, part);
  const Tensor right = sizes.batch > 1 ? slice(b, 0, 0, part) : b;
  return {"naive", [=] { reference::matmul(left, right); },
          [=]() -> Tensors { return {reference::matmul(left, right)}; },
          static_cast<double>(part) / static_cast<double>(items)};
}

std::vector<Contender> contenders(const Sizes& sizes, const Peers& peers) {
  const auto& [ta, tb, m, n, k, batch] = sizes;
  const Tensor stored_a = operand(batch, ta ? k : m, ta ? m : k, "a");
  const Tensor stored_b = operand(batch, tb ? n : k, tb ? k : n, "b");
  const Tensor a = ta ? transpose(stored_a) : stored_a;
  const Tensor b = tb ? transpose(stored_b) : stored_b;
  std::vector<Contender> all{
      m == 1 ? read_limit(4.0 * static_cast<double>(k * n)) : fma_limit(sizes.flops()),
      {"ours", [=] { matmul(a, b); }, [=]() -> Tensors { return {matmul(a, b)}; }},
      naive(sizes, a, b)};
  const Gemm gemm{ta, tb, m, n, k, batch, stored_a, stored_b};
  add_ways(all, peers, [&](Peer& peer) { return peer.gemm(gemm); });
  return all;
}

}  // namespace

std::vector<Workload> gemm_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  for (const Sizes& sizes : all_sizes()) {
    const bool vector = sizes.m == 1;
    // Rounding grows as sqrt(k), and so does the largest of the results.
    workloads.push_back({sizes.name(), vector ? kGigabytes : kGflops,
                         (vector ? sizes.bytes() : sizes.flops()) / 1e9, /*tolerance=*/1e-5,
                         [sizes, peers] { return contenders(sizes, peers); }});
  }
  return workloads;
}

}  // namespace gradwalk::bench
