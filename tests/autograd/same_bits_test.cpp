// Results are the same bits for any number of threads: every op whose kernel splits its work, at a
// size where it does, forward and backward, with 1, 2 and 3 threads. The cases stand in the test
// files of the ops. The test program prints the hashes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/backward.h"
#include "ops.h"
#include "tensor/random.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::ThreadCase;
using test::ThreadCases;

// FNV-1a over the bytes of the elements.
std::uint64_t hash(const Tensor& x, std::uint64_t start) {
  const Tensor flat = contiguous(x);
  const auto* bytes = reinterpret_cast<const unsigned char*>(flat.storage()->data());
  std::uint64_t h = start;
  for (std::int64_t i = 0; i < size_of(flat.dtype()) * flat.numel(); ++i) {
    h = (h ^ bytes[size_of(flat.dtype()) * flat.offset() + i]) * 0x100000001b3;
  }
  return h;
}

// Of the output, and of the gradient of every input.
std::uint64_t hash_of(const ThreadCase& work, DType dtype, int threads) {
  set_num_threads(threads);
  Generator generator(5, work.name);
  std::vector<Variable> inputs;
  for (const Shape& shape : work.shapes)
    inputs.push_back(parameter(normal(shape, generator, dtype)));
  const Variable y = work.f(inputs);
  backward(y, normal(y.shape(), generator, dtype));
  std::uint64_t h = hash(y.value(), 0xcbf29ce484222325);
  for (const Variable& input : inputs) h = hash(input.grad(), h);
  return h;
}

class SameBits : public testing::TestWithParam<ThreadCase> {};

TEST_P(SameBits, ForAnyNumberOfThreads) {
  const int before = num_threads();
  // In float64 too: sums that float32 kernels make in float64 would hide their order by rounding.
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const std::uint64_t one = hash_of(GetParam(), dtype, 1);
    fmt::print("{:<20} {} {:016x}\n", GetParam().name, name(dtype), one);
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(hash_of(GetParam(), dtype, threads), one) << name(dtype) << ' ' << threads;
    }
  }
  set_num_threads(before);
}

INSTANTIATE_TEST_SUITE_P(Works, SameBits, testing::ValuesIn(ThreadCases::all()),
                         [](const testing::TestParamInfo<ThreadCase>& work) {
                           return work.param.name;
                         });

}  // namespace
}  // namespace gradwalk
