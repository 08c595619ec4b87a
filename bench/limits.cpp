#include "bench/limits.h"

#include <hwy/highway.h>

#include <array>
#include <cmath>

#include "tensor/create.h"
#include "tensor/kernels/parallel.h"

namespace gradwalk::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

// So many chains hide a latency of 4 to 5 cycles on two units, and fit 16 registers.
constexpr std::int64_t kChains = 12;

volatile float sink;  // what is computed must seem to be wanted

// Each step multiplies and adds in kChains registers. The numbers go to 1, each from another start:
// of equal ones the compiler would compute one.
void multiply_add(std::int64_t steps) {
  const Lanes d;
  const Vector half = hn::Set(d, 0.5f);
  Vector a = hn::Set(d, 1), b = hn::Set(d, 2), c = hn::Set(d, 3), e = hn::Set(d, 4);
  Vector f = hn::Set(d, 5), g = hn::Set(d, 6), h = hn::Set(d, 7), i = hn::Set(d, 8);
  Vector j = hn::Set(d, 9), k = hn::Set(d, 10), l = hn::Set(d, 11), m = hn::Set(d, 12);
  for (std::int64_t step = 0; step < steps; ++step) {
    a = hn::MulAdd(a, half, half);
    b = hn::MulAdd(b, half, half);
    c = hn::MulAdd(c, half, half);
    e = hn::MulAdd(e, half, half);
    f = hn::MulAdd(f, half, half);
    g = hn::MulAdd(g, half, half);
    h = hn::MulAdd(h, half, half);
    i = hn::MulAdd(i, half, half);
    j = hn::MulAdd(j, half, half);
    k = hn::MulAdd(k, half, half);
    l = hn::MulAdd(l, half, half);
    m = hn::MulAdd(m, half, half);
  }
  const Vector left = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(f, g));
  const Vector right = hn::Add(hn::Add(hn::Add(h, i), hn::Add(j, k)), hn::Add(l, m));
  sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(left, right)));
}

void copy(const float* from, float* to, std::int64_t count) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i + lanes <= count; i += lanes)
    hn::Store(hn::Load(d, from + i), d, to + i);
}

void read(const float* from, std::int64_t count) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Vector a = hn::Zero(d), b = a, c = a, e = a;
  for (std::int64_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    a = hn::Add(a, hn::Load(d, from + i));
    b = hn::Add(b, hn::Load(d, from + i + lanes));
    c = hn::Add(c, hn::Load(d, from + i + 2 * lanes));
    e = hn::Add(e, hn::Load(d, from + i + 3 * lanes));
  }
  sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

// A whole number of vectors of any target.
std::int64_t floats_in(double bytes) {
  return std::max<std::int64_t>(1, std::llround(bytes / 4 / 64)) * 64;
}

}  // namespace

Contender fma_limit(double flops) {
  const auto per_step =
      static_cast<double>(2 * kChains * static_cast<std::int64_t>(hn::Lanes(Lanes())));
  const std::int64_t steps = std::max<std::int64_t>(1, std::llround(flops / per_step));
  // A step takes about 2 ns.
  return {"limit", [steps] {
            kernels::parallel_for(steps, 2 * steps, 1, [](std::int64_t first, std::int64_t last) {
              multiply_add(last - first);
            });
          }};
}

Contender copy_limit(double bytes) {
  const std::int64_t count = floats_in(bytes / 2);
  const Tensor from = ones({count});
  Tensor to = zeros({count});
  float* out = to.mutable_data<float>();
  return {"limit", [from, to, out, count] {
            kernels::parallel_for(count, count / 2, 64, [&](std::int64_t first, std::int64_t last) {
              copy(from.data<float>() + first, out + first, last - first);
            });
          }};
}

Contender read_limit(double bytes) {
  const std::int64_t count = floats_in(bytes);
  const Tensor from = ones({count});
  return {"limit", [from, count] {
            kernels::parallel_for(count, count / 4, 64, [&](std::int64_t first, std::int64_t last) {
              read(from.data<float>() + first, last - first);
            });
          }};
}

}  // namespace gradwalk::bench
