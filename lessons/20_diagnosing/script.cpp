#include "lessons/20_diagnosing/script.h"

#include "nn/diagnostics/cosine.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_20 {

Tensor script_cosines(const Tensor& q_weight, const Tensor& k_weight, std::int64_t row,
                      const Tensor& embeddings, ScriptMend mend) {
  const bool query = mend == ScriptMend::kQuery || mend == ScriptMend::kBoth;
  const bool map = mend == ScriptMend::kMap || mend == ScriptMend::kBoth;
  const Tensor q_cls =
      query ? matmul(q_weight, select(embeddings, 0, 0)) : select(q_weight, 0, row);
  const Tensor numeric_ks = linear(embeddings, k_weight);
  const Tensor q_cls_in_k_space = map ? q_cls : matmul(pinv(k_weight), q_cls);
  return nn::cosine(numeric_ks, q_cls_in_k_space);
}

}  // namespace gradwalk::lesson_20
