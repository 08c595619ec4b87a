// Results are the same bits for any number of threads: every op whose kernel splits its work, at a
// size where it does, forward and backward, with 1, 2 and 3 threads. The test program prints the
// hashes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "autograd/activation.h"
#include "autograd/attention.h"
#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/cumsum.h"
#include "autograd/dropout.h"
#include "autograd/elementwise.h"
#include "autograd/embedding.h"
#include "autograd/gather.h"
#include "autograd/join.h"
#include "autograd/layer_norm.h"
#include "autograd/layout.h"
#include "autograd/linear.h"
#include "autograd/logsumexp.h"
#include "autograd/matmul.h"
#include "autograd/moments.h"
#include "autograd/mse.h"
#include "autograd/reduce.h"
#include "autograd/rms_norm.h"
#include "autograd/rope.h"
#include "autograd/softmax.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using Inputs = std::vector<Variable>;

struct Work {
  const char* name;
  std::vector<Shape> shapes;
  std::function<Variable(const Inputs&)> f;
};

void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

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
std::uint64_t hash_of(const Work& work, DType dtype, int threads) {
  set_num_threads(threads);
  Generator generator(5, work.name);
  Inputs inputs;
  for (const Shape& shape : work.shapes)
    inputs.push_back(parameter(normal(shape, generator, dtype)));
  const Variable y = work.f(inputs);
  backward(y, normal(y.shape(), generator, dtype));
  std::uint64_t h = hash(y.value(), 0xcbf29ce484222325);
  for (const Variable& input : inputs) h = hash(input.grad(), h);
  return h;
}

Tensor ids(const Shape& shape, std::int64_t below) {
  Generator generator(6, "ids");
  Tensor x("ids", shape, DType::kInt64);
  auto* id = x.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < x.numel(); ++i) id[i] = generator.below(below);
  return x;
}

std::vector<Work> works() {
  const Shape wide{1031, 517};
  const auto causal = [](const Inputs& in) {
    return attention(in[0], in[1], in[2], {.causal = true});
  };
  return {
      {"add", {wide, wide}, [](const Inputs& in) { return in[0] + in[1]; }},
      {"mul_stretched", {wide, {517}}, [](const Inputs& in) { return in[0] * in[1]; }},
      {"exp", {wide}, [](const Inputs& in) { return exp(in[0]); }},
      {"gelu_erf", {wide}, [](const Inputs& in) { return gelu(in[0]); }},
      {"gelu_tanh", {wide}, [](const Inputs& in) { return gelu(in[0], GeluForm::kTanh); }},
      {"silu", {wide}, [](const Inputs& in) { return silu(in[0]); }},
      {"tanh", {wide}, [](const Inputs& in) { return tanh(in[0]); }},
      {"sum_all", {wide}, [](const Inputs& in) { return sum(in[0]); }},
      {"sum_rows", {wide}, [](const Inputs& in) { return sum(in[0], -1); }},
      {"sum_columns", {wide}, [](const Inputs& in) { return sum(in[0], 0); }},
      {"cumsum", {wide}, [](const Inputs& in) { return cumsum(in[0], 0); }},
      {"var", {wide}, [](const Inputs& in) { return var(in[0], -1); }},
      {"logsumexp", {wide}, [](const Inputs& in) { return logsumexp(in[0], -1); }},
      {"softmax", {wide}, [](const Inputs& in) { return softmax(in[0], -1); }},
      {"softmax_columns", {wide}, [](const Inputs& in) { return softmax(in[0], 0); }},
      {"log_softmax", {wide}, [](const Inputs& in) { return log_softmax(in[0], -1); }},
      {"layer_norm",
       {wide, {517}, {517}},
       [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); }},
      {"rms_norm", {wide, {517}}, [](const Inputs& in) { return rms_norm(in[0], in[1]); }},
      {"cross_entropy",
       {wide},
       [](const Inputs& in) { return cross_entropy(in[0], ids({1031}, 517)); }},
      {"mse", {wide, wide}, [](const Inputs& in) { return mse(in[0], in[1]); }},
      {"embedding",
       {{701, 129}},
       [](const Inputs& in) { return embedding(ids({4000}, 701), in[0]); }},
      {"dropout",
       {wide},
       [](const Inputs& in) {
         Generator generator(7, "dropout");
         return dropout(in[0], 0.3, generator, /*training=*/true);
       }},
      {"transpose_copy", {wide}, [](const Inputs& in) { return exp(transpose(in[0])); }},
      {"concat",
       {wide, wide},
       [](const Inputs& in) {
         return concat({in[0], in[1]}, 1);
       }},
      {"matmul", {{301, 517}, {517, 203}}, [](const Inputs& in) { return matmul(in[0], in[1]); }},
      {"matmul_square",
       {{512, 512}, {512, 512}},
       [](const Inputs& in) { return matmul(in[0], in[1]); }},
      {"matmul_deep",
       {{64, 3001}, {3001, 48}},
       [](const Inputs& in) { return matmul(in[0], in[1]); }},
      {"matmul_batch",
       {{24, 65, 33}, {24, 33, 67}},
       [](const Inputs& in) { return matmul(in[0], in[1]); }},
      {"matmul_nt",
       {{301, 517}, {203, 517}},
       [](const Inputs& in) { return matmul(in[0], transpose(in[1])); }},
      {"matmul_vector",
       {{2003, 517}, {517}},
       [](const Inputs& in) { return matmul(in[0], in[1]); }},
      {"linear",
       {{4, 129, 257}, {515, 257}, {515}},
       [](const Inputs& in) { return linear(in[0], in[1], in[2]); }},
      {"attention", {{2, 3, 130, 32}, {2, 3, 130, 32}, {2, 3, 130, 32}}, causal},
      {"attention_grouped", {{2, 6, 77, 20}, {2, 2, 141, 20}, {2, 2, 141, 24}}, causal},
      {"rope", {{4, 6, 257, 64}}, [](const Inputs& in) { return rope(in[0]); }},
  };
}

class SameBits : public testing::TestWithParam<Work> {};

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

INSTANTIATE_TEST_SUITE_P(Works, SameBits, testing::ValuesIn(works()),
                         [](const testing::TestParamInfo<Work>& work) {
                           return std::string(work.param.name);
                         });

}  // namespace
}  // namespace gradwalk
