// Matrix product: the kernel behind matmul against the naive loops, which are also what it must
// equal before it is timed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reference/matmul.h"

namespace gradwalk {
namespace {

// Largest difference, relative to what n products of standard normals round to in float32.
bool agree(const Tensor& got, const Tensor& want, std::int64_t n) {
  const std::vector<double> a = got.to_vector();
  const std::vector<double> b = want.to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst <= 6e-8 * 8 * static_cast<double>(n);
}

void run(benchmark::State& state, Tensor (*multiply)(const Tensor&, const Tensor&)) {
  const std::int64_t n = state.range(0);
  Generator generator(/*seed=*/1, "matmul bench");
  const Tensor a = normal({n, n}, generator);
  const Tensor b = normal({n, n}, generator);
  if (!agree(multiply(a, b), reference::matmul(a, b), n)) {
    state.SkipWithError("result differs from the naive loops");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(multiply(a, b));
  state.counters["flop/s"] = benchmark::Counter(2.0 * static_cast<double>(n * n * n),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void matmul_ours(benchmark::State& state) { run(state, matmul); }
void matmul_naive(benchmark::State& state) { run(state, reference::matmul); }

BENCHMARK(matmul_ours)->Arg(4)->Arg(16)->Arg(64)->Arg(256);
BENCHMARK(matmul_naive)->Arg(4)->Arg(16)->Arg(64)->Arg(256);

}  // namespace
}  // namespace gradwalk
