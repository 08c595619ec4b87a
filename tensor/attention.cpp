#include "tensor/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/attention_mask.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/attention.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

Shape with_last(Shape shape, std::int64_t size) {
  shape.set(-1, size);
  return shape;
}

AttentionSizes check(const char* op, const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionOptions& options) {
  const AttentionSizes sizes = attention_sizes(op, query, key, options);
  check_defined(op, value);
  const Operand k{"key", key.shape()};
  const Operand v{"value", value.shape()};
  check_same_dtype(op, k, key.dtype(), v, value.dtype());
  const bool fits =
      value.ndim() == key.ndim() && value.shape() == with_last(key.shape(), value.shape()[-1]);
  if (!fits) {
    throw_shape_error(op, "value.shape == key.shape but for the last axis", v.shape.str(),
                      {{"query", query.shape()}, k, v});
  }
  return sizes;
}

void check_backward(const AttentionSizes& sizes, const Tensor& query, const Tensor& value,
                    const AttentionResult& forward, const Tensor& dy) {
  constexpr const char* kOp = "attention_backward";
  check_defined(kOp, forward.y);
  check_defined(kOp, forward.log_sum);
  check_defined(kOp, dy);
  const Operand y{"y", forward.y.shape()};
  const Operand log_sum{"log_sum", forward.log_sum.shape()};
  const Operand upstream{"dy", dy.shape()};
  check_same_dtype(kOp, {"query", query.shape()}, query.dtype(), y, forward.y.dtype());
  check_same_dtype(kOp, y, forward.y.dtype(), upstream, dy.dtype());
  const Shape wanted = with_last(query.shape(), value.shape()[-1]);
  const Shape scores = sizes.scores();
  const Shape rows(std::span<const std::int64_t>(scores.begin(), scores.end() - 1));
  if (y.shape != wanted || upstream.shape != wanted || log_sum.shape != rows) {
    throw_shape_error(
        kOp, fmt::format("y and dy {} and log_sum {}", wanted.str(), rows.str()),
        fmt::format("{}, {} and {}", y.shape.str(), upstream.shape.str(), log_sum.shape.str()),
        {y, upstream, log_sum});
  }
  if (forward.log_sum.dtype() != DType::kFloat64) {
    throw_argument_error(kOp, "log_sum float64", name(forward.log_sum.dtype()), {log_sum});
  }
}

Tensor as_4d(const Tensor& x) { return x.ndim() == 3 ? unsqueeze(x, 0) : x; }

// Four axes, the neighbours of the last one beside each other in memory; a copy only if they are
// not.
Tensor rows_of(const Tensor& x) {
  const Tensor y = as_4d(x);
  return y.shape()[-1] == 1 || y.strides()[3] == 1 ? y : contiguous(y);
}

template <class T>
kernels::Rows<T> head_of(const Tensor& x, std::int64_t batch, std::int64_t head) {
  return {x.data<T>() + batch * x.strides()[0] + head * x.strides()[1], x.strides()[2]};
}

// The operands as the kernels read them.
template <class T>
class Heads {
 public:
  Heads(const AttentionSizes& sizes, const Tensor& query, const Tensor& key, const Tensor& value,
        const AttentionOptions& options)
      : sizes_(sizes),
        query_(rows_of(query)),
        key_(rows_of(key)),
        value_(rows_of(value)),
        scale_(attention_scale(sizes, options)),
        causal_(options.causal) {
    if (options.key_padding_mask.defined()) {
      padding_ = expand(options.key_padding_mask, {sizes.batch, sizes.keys});
    }
    if (options.additive_mask.defined()) {
      added_ = as_4d(expand(options.additive_mask, sizes.scores()));
    }
  }

  kernels::AttentionHead<T> head(std::int64_t batch, std::int64_t h) const {
    const std::int64_t shared = h / sizes_.heads_per_group();
    kernels::AttentionHead<T> head{sizes_.queries,
                                   sizes_.keys,
                                   sizes_.head_dim,
                                   value_.shape()[-1],
                                   scale_,
                                   head_of<T>(query_, batch, h),
                                   head_of<T>(key_, batch, shared),
                                   head_of<T>(value_, batch, shared),
                                   causal_};
    if (padding_.defined()) {
      head.padding = padding_.data<bool>() + batch * padding_.strides()[0];
      head.padding_step = padding_.strides()[1];
    }
    if (added_.defined()) {
      head.added = head_of<T>(added_, batch, h).data;
      head.added_row = added_.strides()[2];
      head.added_step = added_.strides()[3];
    }
    return head;
  }

 private:
  AttentionSizes sizes_;
  Tensor query_, key_, value_;
  double scale_;
  bool causal_;
  Tensor padding_, added_;
};

}  // namespace

AttentionResult attention_with_log_sum(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const AttentionOptions& options) {
  const AttentionSizes sizes = check("attention", query, key, value, options);
  return visit_float("attention", query, [&](auto zero) -> AttentionResult {
    using T = decltype(zero);
    const std::int64_t width = value.shape()[-1];
    const Shape scores = sizes.scores();
    Tensor y("attention", with_last(query.shape(), width), query.dtype());
    Tensor log_sum("attention",
                   Shape(std::span<const std::int64_t>(scores.begin(), scores.end() - 1)),
                   DType::kFloat64);
    const Heads<T> heads(sizes, query, key, value, options);
    T* out = y.mutable_data<T>();
    double* sums = log_sum.mutable_data<double>();
    for (std::int64_t b = 0; b < sizes.batch; ++b) {
      for (std::int64_t h = 0; h < sizes.num_heads; ++h) {
        kernels::attention(heads.head(b, h), out, sums);
        out += sizes.queries * width;
        sums += sizes.queries;
      }
    }
    return {y, log_sum};
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
  check_backward(sizes, query, value, forward, dy);
  return visit_float(kOp, query, [&](auto zero) -> AttentionGrads {
    using T = decltype(zero);
    Tensor dquery(kOp, query.shape(), query.dtype());
    Tensor dkey(kOp, key.shape(), query.dtype());
    Tensor dvalue(kOp, value.shape(), query.dtype());
    const std::int64_t width = value.shape()[-1];
    const Heads<T> heads(sizes, query, key, value, options);
    const Tensor y = contiguous(forward.y);
    const Tensor log_sum = contiguous(forward.log_sum);
    const Tensor upstream = rows_of(dy);
    // The sums over queries and over the heads of a group, in float64 until they are complete.
    const std::int64_t key_size = sizes.keys * sizes.head_dim;
    const std::int64_t value_size = sizes.keys * width;
    Tensor scratch(kOp, {key_size + value_size}, DType::kFloat64);
    double* sums = scratch.mutable_data<double>();
    T* dq = dquery.mutable_data<T>();
    T* dk = dkey.mutable_data<T>();
    T* dv = dvalue.mutable_data<T>();
    const std::int64_t shared_by = sizes.heads_per_group();
    for (std::int64_t group = 0; group < sizes.batch * sizes.num_kv_heads; ++group) {
      std::fill(sums, sums + key_size + value_size, 0.0);
      for (std::int64_t head = group * shared_by; head < (group + 1) * shared_by; ++head) {
        const std::int64_t b = head / sizes.num_heads;
        const std::int64_t h = head % sizes.num_heads;
        const std::int64_t row = head * sizes.queries;
        kernels::attention_backward(heads.head(b, h), y.data<T>() + row * width,
                                    log_sum.data<double>() + row, head_of<T>(upstream, b, h),
                                    dq + row * sizes.head_dim, sums, sums + key_size);
      }
      const auto rounded = [](double sum) { return static_cast<T>(sum); };
      dk = std::transform(sums, sums + key_size, dk, rounded);
      dv = std::transform(sums + key_size, sums + key_size + value_size, dv, rounded);
    }
    return {dquery, dkey, dvalue};
  });
}

}  // namespace gradwalk
