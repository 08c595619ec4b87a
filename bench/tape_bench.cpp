// What a recorded op costs: [4, 4] operands, so that the arithmetic is next to nothing.

#include <benchmark/benchmark.h>

#include "autograd/backward.h"
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"

namespace gradwalk {
namespace {

void mul_value(benchmark::State& state) {
  const Tensor a = full({4, 4}, 0.5);
  const Tensor b = full({4, 4}, 2);
  for (auto _ : state) benchmark::DoNotOptimize(mul(a, b));
}

void mul_taped_forward(benchmark::State& state) {
  const Variable a = parameter(full({4, 4}, 0.5));
  const Variable b = parameter(full({4, 4}, 2));
  for (auto _ : state) benchmark::DoNotOptimize(mul(a, b));
}

void mul_taped_forward_backward(benchmark::State& state) {
  const Variable a = parameter(full({4, 4}, 0.5));
  const Variable b = parameter(full({4, 4}, 2));
  const Tensor dy = ones({4, 4});
  for (auto _ : state) {
    backward(mul(a, b), dy);
    a.zero_grad();
    b.zero_grad();
  }
}

void matmul_taped_forward_backward(benchmark::State& state) {
  const Variable a = parameter(full({4, 4}, 0.5));
  const Variable b = parameter(full({4, 4}, 2));
  const Tensor dy = ones({4, 4});
  for (auto _ : state) {
    backward(matmul(a, b), dy);
    a.zero_grad();
    b.zero_grad();
  }
}

BENCHMARK(mul_value);
BENCHMARK(mul_taped_forward);
BENCHMARK(mul_taped_forward_backward);
BENCHMARK(matmul_taped_forward_backward);

}  // namespace
}  // namespace gradwalk
