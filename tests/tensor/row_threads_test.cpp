// The kernels along rows give the same bits for one thread and for two, at sizes that start a team.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "support.h"
#include "tensor/activation.h"
#include "tensor/create.h"
#include "tensor/cross_entropy.h"
#include "tensor/embedding.h"
#include "tensor/layer_norm.h"
#include "tensor/logsumexp.h"
#include "tensor/mse.h"
#include "tensor/random.h"
#include "tensor/rms_norm.h"
#include "tensor/softmax.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

struct Inputs {
  Tensor x, dy, gamma, beta, ids, table_dy;
};

Inputs inputs(DType dtype) {
  Generator generator(5, "rows");
  const Shape shape{1001, 301};  // odd: the last row and the last lanes are not alone whole
  Inputs in{normal(shape, generator, dtype),
            normal(shape, generator, dtype),
            normal({301}, generator, dtype),
            normal({301}, generator, dtype),
            {},
            {}};
  std::vector<double> ids(1001);
  for (double& id : ids) id = static_cast<double>(generator.below(301));
  in.ids = from_vector(ids, {1001}, DType::kInt64);
  in.table_dy = normal(shape, generator, dtype);
  return in;
}

std::vector<Tensor> results(const Inputs& in) {
  std::vector<Tensor> all;
  const auto& [x, dy, gamma, beta, ids, table_dy] = in;
  for (const Tensor& y : {softmax(x, 1), softmax(x, 0), log_softmax(x, 1), gelu(x), silu(x)}) {
    all.push_back(y);
  }
  all.push_back(softmax_backward(all[0], dy, 1));
  all.push_back(log_softmax_backward(all[2], dy, 1));
  all.push_back(gelu_backward(x, dy, GeluForm::kTanh));
  const LayerNormResult norm = layer_norm_with_statistics(x, gamma, beta, 1e-5);
  const LayerNormGrads grads = layer_norm_backward(x, gamma, norm.mean, norm.rstd, dy);
  const RmsNormResult rms = rms_norm_with_statistics(x, gamma, 1e-6);
  const RmsNormGrads rms_grads = rms_norm_backward(x, gamma, rms.rrms, dy);
  const CrossEntropyResult loss = cross_entropy_with_gradient(x, ids);
  for (const Tensor& y :
       {norm.y, norm.mean, norm.rstd, grads.dx, grads.dgamma, grads.dbeta, rms.y, rms.rrms,
        rms_grads.dx, rms_grads.dgamma, loss.loss, loss.dlogits, cross_entropy(x, ids),
        logsumexp(x, 1), mse(x, dy), mse_backward(x, dy, ones({}, x.dtype())), embedding(ids, x),
        embedding_backward(ids, 301, table_dy)}) {
    all.push_back(y);
  }
  return all;
}

TEST(RowKernels, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Inputs in = inputs(dtype);
    set_num_threads(1);
    const std::vector<Tensor> want = results(in);
    for (const int threads : {2, 3}) {
      set_num_threads(threads);
      const std::vector<Tensor> got = results(in);
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(test::difference(got[i], want[i], 0), "") << "result " << i;
      }
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace gradwalk
