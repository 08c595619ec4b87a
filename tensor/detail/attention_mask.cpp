#include "tensor/detail/attention_mask.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

void check_operands(const char* op, const Tensor& query, const Tensor& key) {
  check_defined(op, query);
  check_defined(op, key);
  check_same_dtype(op, "query", query, "key", key);
  const Shape& q = query.shape();
  const Shape& k = key.shape();
  const auto refuse = [&](const char* expected, const std::string& got) {
    throw_shape_error(op, expected, got, {{"query", q}, {"key", k}});
  };
  const auto both = [](std::int64_t a, std::int64_t b) { return fmt::format("{} and {}", a, b); };
  check_float(op, "query", query, "key", key);
  if (q.ndim() != k.ndim() || (q.ndim() != 3 && q.ndim() != 4)) {
    refuse("query and key of ndim 4, or both 3", both(q.ndim(), k.ndim()));
  }
  if (q.ndim() == 4 && q[0] != k[0]) refuse("query.shape[0] == key.shape[0]", both(q[0], k[0]));
  if (q[-1] != k[-1]) refuse("query.shape[-1] == key.shape[-1]", both(q[-1], k[-1]));
  if (q[-1] == 0) refuse("head_dim >= 1", "0");
  check_head_groups(op, q[-3], k[-3], {{"query", q}, {"key", k}});
}

void check_key_padding(const char* op, const AttentionSizes& sizes, const Tensor& mask) {
  const Operand operand{"key_padding_mask", mask.shape()};
  check_bool(op, "key_padding_mask", mask.dtype(), {operand});
  const Shape wanted = sizes.batched ? Shape{sizes.batch, sizes.keys} : Shape{sizes.keys};
  if (mask.shape() != wanted) {
    throw_other_shape(op, "key_padding_mask", mask.shape(), wanted, {operand});
  }
}

void check_additive(const char* op, const Tensor& query, const AttentionSizes& sizes,
                    const Tensor& mask) {
  const Operand operand{"additive_mask", mask.shape()};
  check_same_dtype(op, {"query", query.shape()}, query.dtype(), operand, mask.dtype());
  const Shape scores = sizes.scores();
  if (!can_expand(mask.shape(), scores)) {
    throw_shape_error(op, "additive_mask that broadcasts to " + scores.str(), mask.shape().str(),
                      {{"query", query.shape()}, operand});
  }
}

}  // namespace

Shape AttentionSizes::scores() const {
  return batched ? Shape{batch, num_heads, queries, keys} : Shape{num_heads, queries, keys};
}

AttentionSizes attention_sizes(const char* op, const Tensor& query, const Tensor& key,
                               const AttentionOptions& options) {
  check_operands(op, query, key);
  const bool batched = query.ndim() == 4;
  const AttentionSizes sizes{batched ? query.shape()[0] : 1,
                             query.shape()[-3],
                             key.shape()[-3],
                             query.shape()[-2],
                             key.shape()[-2],
                             query.shape()[-1],
                             batched};
  if (options.key_padding_mask.defined()) check_key_padding(op, sizes, options.key_padding_mask);
  if (options.additive_mask.defined()) check_additive(op, query, sizes, options.additive_mask);
  if (options.scale && !std::isfinite(*options.scale)) {
    throw_argument_error(op, "a finite scale", fmt::format("{}", *options.scale));
  }
  return sizes;
}

double attention_scale(const AttentionSizes& sizes, const AttentionOptions& options) {
  return options.scale.value_or(1 / std::sqrt(static_cast<double>(sizes.head_dim)));
}

Tensor attention_mask(const AttentionSizes& sizes, const AttentionOptions& options, DType dtype) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  if (!options.causal && !options.key_padding_mask.defined() && !options.additive_mask.defined()) {
    return {};
  }
  Tensor mask = zeros(sizes.scores(), dtype);
  if (options.additive_mask.defined()) mask = add(mask, options.additive_mask);
  if (options.causal) {
    std::vector<double> triangle;
    for (std::int64_t i = 0; i < sizes.queries; ++i) {
      for (std::int64_t j = 0; j < sizes.keys; ++j) {
        triangle.push_back(j <= i + sizes.keys - sizes.queries ? 0 : kHidden);
      }
    }
    mask = add(mask, from_vector(triangle, {sizes.queries, sizes.keys}, dtype));
  }
  if (options.key_padding_mask.defined()) {
    std::vector<double> keys;
    for (const double may_be_seen : options.key_padding_mask.to_vector()) {
      keys.push_back(may_be_seen != 0 ? 0 : kHidden);
    }
    // [B, 1, 1, S]; beside 3-d operands [1, 1, S]
    const Shape shape =
        sizes.batched ? Shape{sizes.batch, 1, 1, sizes.keys} : Shape{1, 1, sizes.keys};
    mask = add(mask, from_vector(keys, shape, dtype));
  }
  return mask;
}

}  // namespace gradwalk
