// Results larger than the caches, which kernels stream: the same numbers as in pieces that are not.

#include "tensor/kernels/stream.h"

#include <gtest/gtest.h>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/minmax.h"
#include "tensor/random.h"
#include "tensor/softmax.h"
#include "tensor/threads.h"
#include "tensor/where.h"

namespace gradwalk {
namespace {

constexpr std::int64_t kRows = 2203;  // with 1021 columns 9 MB of float32, and no row aligned
constexpr std::int64_t kColumns = 1021;

Tensor drawn(DType dtype, std::uint64_t seed) {
  Generator generator(seed, "stream");
  const Tensor x = uniform({kRows, kColumns}, generator, -1000, 1000, DType::kFloat64);
  return to(x, dtype);
}

// f of the whole, and of its rows in four parts that are too small to be streamed.
template <class F>
void expect_equal_in_parts(F f, const Tensor& a, const Tensor& b) {
  const int threads = num_threads();
  ASSERT_TRUE(a.dtype() != DType::kFloat32 || kernels::streams<float>(a.numel()));
  std::vector<Tensor> parts;
  for (std::int64_t part = 0; part < 4; ++part) {
    const std::int64_t begin = kRows * part / 4;
    const std::int64_t end = kRows * (part + 1) / 4;
    parts.push_back(f(slice(a, 0, begin, end), slice(b, 0, begin, end)));
    ASSERT_FALSE(kernels::streams<float>(parts.back().numel()));
  }
  const std::vector<double> want = concat(parts, 0).to_vector();
  for (const int count : {1, 2, 3}) {
    set_num_threads(count);
    EXPECT_EQ(f(a, b).to_vector(), want) << count << " threads";
  }
  set_num_threads(threads);
}

TEST(Stream, ElementwiseOps) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt64}) {
    const Tensor a = drawn(dtype, 1);
    const Tensor b = drawn(dtype, 2);
    expect_equal_in_parts([](const Tensor& x, const Tensor& y) { return add(x, y); }, a, b);
    expect_equal_in_parts([](const Tensor& x, const Tensor&) { return neg(x); }, a, b);
    expect_equal_in_parts([](const Tensor& x, const Tensor&) { return clone(x); }, a, b);
    expect_equal_in_parts([](const Tensor& x, const Tensor& y) { return maximum(x, y); }, a, b);
  }
}

TEST(Stream, Softmax) {
  const Tensor x = drawn(DType::kFloat32, 1);
  const Tensor dy = drawn(DType::kFloat32, 2);
  expect_equal_in_parts([](const Tensor& a, const Tensor&) { return softmax(a, -1); }, x, dy);
  expect_equal_in_parts([](const Tensor& a, const Tensor&) { return log_softmax(a, -1); }, x, dy);
  expect_equal_in_parts(
      [](const Tensor& a, const Tensor& b) { return softmax_backward(softmax(a, -1), b, -1); }, x,
      dy);
}

TEST(Stream, CopiesFromAnyAlignment) {
  constexpr std::int64_t kCount = 300;
  std::vector<float> from(kCount);
  for (std::int64_t i = 0; i < kCount; ++i)
    from[static_cast<std::size_t>(i)] = static_cast<float>(i);
  for (std::int64_t begin = 0; begin < 20; ++begin) {
    for (const std::int64_t n : {0, 1, 5, 16, 17, 63, 200}) {
      std::vector<float> into(kCount, -1);
      kernels::stream_copy(from.data() + 3, into.data() + begin, n);
      hwy::FlushStream();
      for (std::int64_t i = 0; i < kCount; ++i) {
        const bool inside = i >= begin && i < begin + n;
        ASSERT_EQ(into[static_cast<std::size_t>(i)],
                  inside ? static_cast<float>(i - begin + 3) : -1);
      }
    }
  }
}

}  // namespace
}  // namespace gradwalk
