#include <fmt/format.h>
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "bench/peers/peer.h"
#include "tensor/create.h"

namespace gradwalk::bench {
namespace {

using dnnl::memory;

// Rows and columns of a matrix for each of `batch` pairs; if it is stored transposed, the strides
// say so.
memory::desc describe_matrix(std::int64_t batch, std::int64_t rows, std::int64_t columns,
                             bool transposed) {
  memory::dims sizes{rows, columns};
  memory::dims strides = transposed ? memory::dims{1, rows} : memory::dims{columns, 1};
  if (batch > 1) {
    sizes.insert(sizes.begin(), batch);
    strides.insert(strides.begin(), rows * columns);
  }
  return {sizes, memory::data_type::f32, strides};
}

class OneDnn final : public Peer {
 public:
  std::string describe() const override {
    const dnnl_version_t* version = dnnl_version();
    return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
  }
  void set_threads(int threads) override { omp_set_num_threads(threads); }

  std::vector<Contender> gemm(const Gemm& gemm) override {
    Tensor c = zeros({gemm.batch, gemm.m, gemm.n});
    const memory::desc a = describe_matrix(gemm.batch, gemm.m, gemm.k, gemm.transpose_a);
    const memory::desc b = describe_matrix(gemm.batch, gemm.k, gemm.n, gemm.transpose_b);
    const memory::desc out = describe_matrix(gemm.batch, gemm.m, gemm.n, false);
    const dnnl::matmul product({dnnl::matmul::desc(a, b, out), engine_});
    const auto wrap = [this](const memory::desc& desc, const Tensor& x) {
      return memory(desc, engine_, const_cast<float*>(x.data<float>()));  // it has no const memory
    };
    const std::unordered_map<int, memory> operands{{DNNL_ARG_SRC, wrap(a, gemm.a)},
                                                   {DNNL_ARG_WEIGHTS, wrap(b, gemm.b)},
                                                   {DNNL_ARG_DST, wrap(out, c)}};
    const auto run = [this, product, operands, gemm] {
      product.execute(stream_, operands);
      stream_.wait();
    };
    return {{"onednn", run, [run, c]() -> Tensors {
               run();
               return {c};
             }}};
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

}  // namespace

std::shared_ptr<Peer> onednn() { return std::make_shared<OneDnn>(); }

}  // namespace gradwalk::bench
