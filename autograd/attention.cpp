#include "autograd/attention.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/softmax.h"
#include "tensor/detail/attention_mask.h"
#include "tensor/detail/checks.h"

namespace gradwalk {
namespace {

// The masks are read through the options; these notice a write to them.
std::vector<Saved> saved_masks(const AttentionOptions& options) {
  std::vector<Saved> masks;
  for (const Tensor& mask : {options.key_padding_mask, options.additive_mask}) {
    if (mask.defined()) masks.emplace_back(mask);
  }
  return masks;
}

// [.., H, M, N] as [.., G, H / G, M, N], so that what a group shares stretches over its heads.
Variable by_group(const Variable& x, std::int64_t num_kv_heads) {
  Shape shape;
  for (int axis = 0; axis < x.shape().ndim() - 3; ++axis) shape.push_back(x.shape()[axis]);
  shape.push_back(num_kv_heads);
  shape.push_back(num_kv_heads > 0 ? x.shape()[-3] / num_kv_heads : 0);
  shape.push_back(x.shape()[-2]);
  shape.push_back(x.shape()[-1]);
  return reshape(x, shape);
}

void check_weights(const Tensor& weights, const Tensor& value) {
  constexpr const char* kOp = "weighted_values";
  check_defined(kOp, weights);
  check_defined(kOp, value);
  const Operand w{"weights", weights.shape()};
  const Operand v{"value", value.shape()};
  check_same_dtype(kOp, w, weights.dtype(), v, value.dtype());
  const int ndim = weights.ndim();
  if (ndim != value.ndim() || (ndim != 3 && ndim != 4)) {
    throw_shape_error(kOp, "weights and value of ndim 4, or both 3",
                      fmt::format("{} and {}", ndim, value.ndim()), {w, v});
  }
  if (w.shape[-1] != v.shape[-2] || (ndim == 4 && w.shape[0] != v.shape[0])) {
    throw_shape_error(kOp, "weights [B, H, T, S] and value [B, G, S, Dv]",
                      fmt::format("{} and {}", w.shape.str(), v.shape.str()), {w, v});
  }
  check_head_groups(kOp, w.shape[-3], v.shape[-3], {w, v});
}

}  // namespace

Variable attention(const Variable& query, const Variable& key, const Variable& value,
                   const AttentionOptions& options) {
  AttentionResult result =
      attention_with_log_sum(query.value(), key.value(), value.value(), options);
  auto rule = [query = Saved(query.value()), key = Saved(key.value()), value = Saved(value.value()),
               y = Saved(result.y), log_sum = result.log_sum, masks = saved_masks(options),
               options](const Tensor& dy) -> Grads {
    for (const Saved& mask : masks) mask.get();
    // y = w value, w the softmax of the scores s = scale query key^T + masks. With
    // ds = w * (dy value^T - sum(dy * y)): dquery = scale ds key, dkey = scale ds^T query and
    // dvalue = w^T dy, the last two summed over the heads of a group.
    AttentionGrads grads = attention_backward(query, key, value, options, {y, log_sum}, dy);
    return {grads.dquery, grads.dkey, grads.dvalue};
  };
  return record("attention", std::move(result.y), {query, key, value}, std::move(rule));
}

AttentionMap attention_map(const Variable& query, const Variable& key,
                           const AttentionOptions& options) {
  const AttentionSizes sizes =
      attention_sizes("attention_weights", query.value(), key.value(), options);
  const Variable queries = by_group(query, sizes.num_kv_heads);  // [.., G, H / G, T, Dh]
  const Variable keys = by_group(key, sizes.num_kv_heads);       // [.., G, 1, S, Dh]
  AttentionMap map;
  map.products = reshape(matmul(queries, transpose(keys)), sizes.scores());
  map.scores = map.products * attention_scale(sizes, options);
  const Tensor mask = attention_mask(sizes, options, query.value().dtype());
  map.masked = mask.defined() ? map.scores + mask : map.scores;
  map.weights = softmax(map.masked, /*axis=*/-1);
  return map;
}

Variable attention_weights(const Variable& query, const Variable& key,
                           const AttentionOptions& options) {
  return attention_map(query, key, options).weights;
}

Variable weighted_values(const Variable& weights, const Variable& value) {
  check_weights(weights.value(), value.value());
  Shape shape = weights.shape();
  shape.set(-1, value.shape()[-1]);
  const std::int64_t num_kv_heads = value.shape()[-3];
  return reshape(matmul(by_group(weights, num_kv_heads), by_group(value, num_kv_heads)), shape);
}

}  // namespace gradwalk
