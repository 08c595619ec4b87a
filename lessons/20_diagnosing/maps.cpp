#include "lessons/20_diagnosing/maps.h"

#include <vector>

#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/pull_back.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_20 {

double QueryMaps::order(const Tensor& cosines) const {
  return nn::spearman(cosines.to_vector(), scores.to_vector());
}

QueryMaps query_maps(const Tensor& q_weight, const Tensor& k_weight, const Tensor& embeddings) {
  QueryMaps m;
  m.w_k = k_weight;
  m.embeddings = embeddings;
  m.query = matmul(q_weight, select(embeddings, 0, 0));
  m.pulled = nn::pull_back(m.query, k_weight);
  m.inverted = matmul(pinv(k_weight), m.query);
  m.keys = linear(embeddings, k_weight);
  m.scores = matmul(m.keys, m.query);
  m.cos_keys = nn::cosine(m.keys, m.query);
  m.cos_pulled = nn::cosine(embeddings, m.pulled);
  m.cos_inverted = nn::cosine(embeddings, m.inverted);
  return m;
}

double condition(const Tensor& matrix) {
  const std::vector<double> s = svd(matrix).s.to_vector();
  return s.front() / s.back();
}

Tensor turning_part(const Tensor& matrix) {
  const Svd parts = svd(matrix);
  return matmul(parts.u, parts.vt);
}

Tensor of_rank(const Tensor& matrix, std::int64_t rank) {
  const Svd parts = svd(matrix);
  const auto kept = [&](const Tensor& x, int axis) { return slice(x, axis, 0, rank); };
  return matmul(kept(parts.u, 1) * kept(parts.s, 0), kept(parts.vt, 0));
}

Tensor reached_part(const Tensor& query, const Tensor& k_weight) {
  return matmul(k_weight, matmul(pinv(k_weight), query));
}

}  // namespace gradwalk::lesson_20
