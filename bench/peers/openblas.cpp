#include <cblas.h>

#include "bench/peers/peer.h"
#include "tensor/create.h"

namespace gradwalk::bench {
namespace {

void multiply(const Gemm& gemm, float* c) {
  const auto& [ta, tb, m, n, k, batch, a, b] = gemm;
  const auto rows = [](std::int64_t count) { return static_cast<blasint>(count); };
  const blasint columns_b = rows(tb ? k : n);
  for (std::int64_t i = 0; i < batch; ++i) {
    const float* left = a.data<float>() + i * m * k;
    const float* right = b.data<float>() + i * k * n;
    float* out = c + i * m * n;
    if (m == 1) {
      cblas_sgemv(CblasRowMajor, tb ? CblasNoTrans : CblasTrans, rows(tb ? n : k), columns_b, 1,
                  right, columns_b, left, 1, 0, out, 1);
    } else {
      cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                  rows(m), rows(n), rows(k), 1, left, rows(ta ? m : k), right, columns_b, 0, out,
                  rows(n));
    }
  }
}

class OpenBlas final : public Peer {
 public:
  std::string describe() const override { return openblas_get_config(); }
  void set_threads(int threads) override { openblas_set_num_threads(threads); }

  std::vector<Contender> gemm(const Gemm& gemm) override {
    Tensor c = zeros({gemm.batch, gemm.m, gemm.n});
    float* out = c.mutable_data<float>();
    const auto run = [gemm, c, out] { multiply(gemm, out); };
    return {{"openblas", run, [run, c]() -> Tensors {
               run();
               return {c};
             }}};
  }
};

}  // namespace

std::shared_ptr<Peer> openblas() { return std::make_shared<OpenBlas>(); }

}  // namespace gradwalk::bench
