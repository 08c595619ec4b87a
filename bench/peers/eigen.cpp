#include <fmt/format.h>

#include <Eigen/Core>

#include "bench/peers/peer.h"
#include "tensor/create.h"

namespace gradwalk::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void multiply(const Gemm& gemm, float* c) {
  const auto& [ta, tb, m, n, k, batch, a, b] = gemm;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Eigen::Map<const Matrix> left(a.data<float>() + i * m * k, ta ? k : m, ta ? m : k);
    const Eigen::Map<const Matrix> right(b.data<float>() + i * k * n, tb ? n : k, tb ? k : n);
    Eigen::Map<Matrix> out(c + i * m * n, m, n);
    if (ta) {
      out.noalias() = left.transpose() * right;
    } else if (tb) {
      out.noalias() = left * right.transpose();
    } else {
      out.noalias() = left * right;
    }
  }
}

class EigenPeer final : public Peer {
 public:
  std::string describe() const override {
    return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                       EIGEN_MINOR_VERSION);
  }
  void set_threads(int threads) override { Eigen::setNbThreads(threads); }

  std::vector<Contender> gemm(const Gemm& gemm) override {
    Tensor c = zeros({gemm.batch, gemm.m, gemm.n});
    float* out = c.mutable_data<float>();
    const auto run = [gemm, c, out] { multiply(gemm, out); };
    return {{"eigen", run, [run, c]() -> Tensors {
               run();
               return {c};
             }}};
  }
};

}  // namespace

std::shared_ptr<Peer> eigen() { return std::make_shared<EigenPeer>(); }

}  // namespace gradwalk::bench
