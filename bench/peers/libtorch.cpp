#include <ATen/Parallel.h>
#include <omp.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cstdlib>

#include "bench/peers/torch_ops.h"

namespace gradwalk::bench {
namespace {

class LibTorch final : public Peer {
 public:
  std::string describe() const override {
    const char* kernels = std::getenv("ATEN_CPU_CAPABILITY");
    return std::string("libtorch " TORCH_VERSION ", kernels ") +
           (kernels == nullptr ? "as it chooses" : kernels);
  }
  void set_threads(int threads) override {
    at::set_num_threads(threads);
    omp_set_num_threads(threads);  // its matrix products are the system's BLAS
  }
  std::vector<Contender> gemm(const Gemm& gemm) override { return torch_gemm(gemm); }
  std::vector<Contender> op(const OpCall& call) override { return torch_op(call); }
  std::vector<Contender> overhead(const std::string& kind, int length) override {
    return torch_overhead(kind, length);
  }
  std::vector<Contender> adamw(const Tensor& parameter, const Tensor& grad) override {
    return torch_adamw(parameter, grad);
  }
  std::vector<Contender> gpt(const GptCall& call) override { return torch_gpt(call); }
  std::vector<Contender> decode(const DecodeCall& call) override { return torch_decode(call); }
};

}  // namespace

std::shared_ptr<Peer> libtorch() { return std::make_shared<LibTorch>(); }

}  // namespace gradwalk::bench
