#include "tensor/attention.h"

#include <fmt/format.h>

#include "tensor/create.h"
#include "tensor/detail/attention_mask.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/detail/heads_layout.h"
#include "tensor/kernels/attention.h"

namespace gradwalk {
namespace {

Shape with_last(Shape shape, std::int64_t size) {
  shape.set(-1, size);
  return shape;
}

bool equal_but_for_last(const Shape& a, const Shape& b) {
  return a.ndim() == b.ndim() && std::equal(a.begin(), a.end() - 1, b.begin());
}

AttentionSizes check(const char* op, const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionOptions& options) {
  const AttentionSizes sizes = attention_sizes(op, query, key, options);
  check_defined(op, value);
  check_same_dtype(op, "key", key, "value", value);
  if (!equal_but_for_last(value.shape(), key.shape())) {
    throw_shape_error(op, "value.shape == key.shape but for the last axis", value.shape().str(),
                      {{"query", query.shape()}, {"key", key.shape()}, {"value", value.shape()}});
  }
  return sizes;
}

void check_backward(const Tensor& query, const Tensor& value, const AttentionResult& forward,
                    const Tensor& dy) {
  constexpr const char* kOp = "attention_backward";
  check_defined(kOp, forward.y);
  check_defined(kOp, forward.log_sum);
  check_defined(kOp, dy);
  check_same_dtype(kOp, "query", query, "y", forward.y);
  check_same_dtype(kOp, "y", forward.y, "dy", dy);
  const Shape& y = forward.y.shape();
  const Shape& log_sum = forward.log_sum.shape();
  const bool fits = equal_but_for_last(y, query.shape()) && y[-1] == value.shape()[-1] &&
                    dy.shape() == y && log_sum == row_shape(query.shape());
  if (!fits) {
    throw_shape_error(
        kOp,
        fmt::format("y and dy {} and log_sum {}", with_last(query.shape(), value.shape()[-1]).str(),
                    row_shape(query.shape()).str()),
        fmt::format("{}, {} and {}", y.str(), dy.shape().str(), log_sum.str()),
        {{"y", y}, {"dy", dy.shape()}, {"log_sum", log_sum}});
  }
  if (forward.log_sum.dtype() != DType::kFloat64) {
    throw_argument_error(kOp, "log_sum float64", name(forward.log_sum.dtype()),
                         {{"log_sum", log_sum}});
  }
}

template <class T, class Data>
kernels::HeadsView<T> view(const Tensor& x, Data* data) {
  return {data, stride_from_end(x, -4), stride_from_end(x, -3), stride_from_end(x, -2),
          stride_from_end(x, -1)};
}
template <class T>
kernels::HeadsView<const T> heads_in(const Tensor& x) {
  return view<const T>(x, x.data<T>());
}
template <class T>
kernels::HeadsView<T> heads_out(Tensor& x) {
  return view<T>(x, x.mutable_data<T>());
}

// The operands as the kernels read them: in place, at any strides.
template <class T>
kernels::AttentionHeads<T> heads_of(const AttentionSizes& sizes, const Tensor& query,
                                    const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  kernels::AttentionHeads<T> heads{
      sizes.batch,    sizes.num_heads,    sizes.num_kv_heads, sizes.queries,
      sizes.keys,     sizes.head_dim,     value.shape()[-1],  attention_scale(sizes, options),
      options.causal, heads_in<T>(query), heads_in<T>(key),   heads_in<T>(value)};
  if (const Tensor& padding = options.key_padding_mask; padding.defined()) {
    heads.padding = padding.data<bool>();
    heads.padding_batch = stride_from_end(padding, -2);
    heads.padding_step = stride_from_end(padding, -1);
  }
  if (options.additive_mask.defined()) {
    heads.added = heads_in<T>(expand(options.additive_mask, sizes.scores()));
  }
  return heads;
}

}  // namespace

AttentionResult attention_with_log_sum(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const AttentionOptions& options) {
  constexpr const char* kOp = "attention";
  const AttentionSizes sizes = check(kOp, query, key, value, options);
  return visit_float(kOp, query, [&](auto zero) -> AttentionResult {
    using T = decltype(zero);
    AttentionResult result{empty_in_layout_of(kOp, query, value.shape()[-1]),
                           Tensor(kOp, row_shape(query.shape()), DType::kFloat64)};
    kernels::attention(heads_of<T>(sizes, query, key, value, options), heads_out<T>(result.y),
                       result.log_sum.mutable_data<double>());
    return result;
  });
}

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                 const AttentionOptions& options) {
  return attention_with_log_sum(query, key, value, options).y;
}

AttentionGrads attention_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const AttentionOptions& options, const AttentionResult& forward,
                                  const Tensor& dy) {
  constexpr const char* kOp = "attention_backward";
  const AttentionSizes sizes = check(kOp, query, key, value, options);
  check_backward(query, value, forward, dy);
  if (sizes.batch * sizes.num_heads * sizes.queries * sizes.keys == 0) {
    const auto none = [](const Tensor& x) { return zeros(x.shape(), x.dtype()); };
    return {none(query), none(key), none(value)};
  }
  return visit_float(kOp, query, [&](auto zero) -> AttentionGrads {
    using T = decltype(zero);
    AttentionGrads grads{empty_in_layout_of(kOp, query, sizes.head_dim),
                         empty_in_layout_of(kOp, key, sizes.head_dim),
                         empty_in_layout_of(kOp, value, value.shape()[-1])};
    const Tensor log_sum = contiguous(forward.log_sum);
    kernels::attention_backward(heads_of<T>(sizes, query, key, value, options),
                                heads_in<T>(forward.y), log_sum.data<double>(), heads_in<T>(dy),
                                heads_out<T>(grads.dquery), heads_out<T>(grads.dkey),
                                heads_out<T>(grads.dvalue));
    return grads;
  });
}

}  // namespace gradwalk
