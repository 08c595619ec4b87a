#include "tensor/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/fnv.h"
#include "tensor/error.h"
#include "tensor/kernels/philox.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// The last number before `high` that the dtype has; `low` if there is none between them.
double largest_below(double high, double low, DType dtype) {
  if (dtype == DType::kFloat64) return std::nextafter(high, low);
  const auto rounded = static_cast<float>(high);
  const auto below = static_cast<double>(rounded) < high
                         ? rounded
                         : std::nextafter(rounded, static_cast<float>(low));
  return static_cast<double>(below);
}

template <class Draw>
Tensor drawn(const char* op, const Shape& shape, DType dtype, Draw draw) {
  Tensor y(op, shape, dtype);
  visit_float(op, y, [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    for (std::int64_t i = 0; i < y.numel(); ++i) out[i] = static_cast<T>(draw());
  });
  return y;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high_half(p1) ^ counter[1] ^ key[0], low_half(p1),
               high_half(p0) ^ counter[3] ^ key[1], low_half(p0)};
    key[0] += 0x9E3779B9;  // golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

Generator::Generator(std::uint64_t seed, std::string_view name)
    : seed_(seed), stream_(fnv1a(name)) {}

void Generator::take_block() {
  words_ = philox4x32({low_half(block_), high_half(block_), low_half(stream_), high_half(stream_)},
                      {low_half(seed_), high_half(seed_)});
  ++block_;
  used_ = 0;
}

std::uint32_t Generator::next_u32() {
  if (used_ == 4) take_block();
  return words_[static_cast<std::size_t>(used_++)];
}

void Generator::fill(std::uint32_t* words, std::int64_t count) {
  for (; count > 0 && used_ < 4; --count) *words++ = next_u32();
  const std::int64_t blocks = count / 4;
  kernels::philox_blocks(seed_, stream_, block_, blocks, words);
  block_ += static_cast<std::uint64_t>(blocks);
  for (std::int64_t i = 4 * blocks; i < count; ++i) words[i] = next_u32();
}

void Generator::skip(std::int64_t count) {
  const std::int64_t left = 4 - used_;
  if (count <= left) {
    used_ += static_cast<int>(count);
    return;
  }
  block_ += static_cast<std::uint64_t>((count - left) / 4);
  used_ = 4;
  for (std::int64_t i = (count - left) % 4; i > 0; --i) next_u32();
}

double Generator::uniform() {
  const std::uint64_t high = next_u32();
  const std::uint64_t bits = (high << 32 | next_u32()) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

double Generator::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is in (0, 1]
  const double angle = 2 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::int64_t Generator::below(std::int64_t n) {
  if (n < 1 || n > std::int64_t{1} << 32) {
    throw_argument_error("below", "0 < n <= 2^32", fmt::format("{}", n));
  }
  // Lemire 2019: the upper half of a product; the few low halves that would bias it are drawn
  // again.
  const auto range = static_cast<std::uint64_t>(n);
  const std::uint64_t threshold = (std::uint64_t{1} << 32) % range;
  std::uint64_t product = next_u32() * range;
  while (low_half(product) < threshold) product = next_u32() * range;
  return static_cast<std::int64_t>(product >> 32);
}

Tensor Generator::state() const {
  Tensor state("Generator::state", {6}, DType::kInt64);
  const std::uint64_t numbers[] = {seed_,
                                   stream_,
                                   block_,
                                   static_cast<std::uint64_t>(used_),
                                   has_spare_ ? 1U : 0U,
                                   std::bit_cast<std::uint64_t>(has_spare_ ? spare_normal_ : 0.0)};
  std::transform(std::begin(numbers), std::end(numbers), state.mutable_data<std::int64_t>(),
                 [](std::uint64_t number) { return std::bit_cast<std::int64_t>(number); });
  return state;
}

void Generator::set_state(const Tensor& state) {
  constexpr const char* kOp = "Generator::set_state";
  if (!state.defined()) throw_argument_error(kOp, "int64 [6]", "undefined");
  if (state.dtype() != DType::kInt64 || state.shape() != Shape{6}) {
    throw_argument_error(kOp, "int64 [6]",
                         fmt::format("{} {}", name(state.dtype()), state.shape().str()));
  }
  const Tensor dense = contiguous(state);
  std::array<std::uint64_t, 6> numbers;
  std::transform(dense.data<std::int64_t>(), dense.data<std::int64_t>() + 6, numbers.begin(),
                 [](std::int64_t number) { return std::bit_cast<std::uint64_t>(number); });
  const auto [seed, stream, block, used, has_spare, spare] = numbers;
  if (seed != seed_ || stream != stream_) {
    throw_argument_error(kOp, fmt::format("a state of the stream ({}, {:016x})", seed_, stream_),
                         fmt::format("one of ({}, {:016x})", seed, stream));
  }
  // Words that are left belong to a block that was taken.
  if (used > 4 || has_spare > 1 || (used < 4 && block == 0)) {
    throw_argument_error(kOp, "the numbers of a state",
                         fmt::format("block {}, {} words used, spare {}", block, used, has_spare));
  }
  block_ = block;
  used_ = 4;
  if (used < 4) {
    --block_;
    take_block();
    used_ = static_cast<int>(used);
  }
  has_spare_ = has_spare == 1;
  spare_normal_ = std::bit_cast<double>(spare);
}

Tensor normal(const Shape& shape, Generator& generator, DType dtype) {
  return drawn("normal", shape, dtype, [&] { return generator.normal(); });
}

Tensor uniform(const Shape& shape, Generator& generator, double low, double high, DType dtype) {
  check_low_high("uniform", low, high);
  if (!std::isfinite(high - low)) {
    throw_argument_error("uniform", "high - low to be finite", fmt::format("{} and {}", low, high));
  }
  const double last = largest_below(high, low, dtype);
  // fma by name: a compiler that fuses on its own, or not, would give other numbers.
  return drawn("uniform", shape, dtype,
               [&] { return std::min(std::fma(high - low, generator.uniform(), low), last); });
}

}  // namespace gradwalk
