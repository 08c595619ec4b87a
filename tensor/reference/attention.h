#pragma once

#include <cmath>
#include <limits>

#include "tensor/attention.h"
#include "tensor/layout.h"
#include "tensor/reference/values.h"

namespace gradwalk::reference {
namespace detail {

inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// A tensor of four axes, read by index.
struct Array4 {
  explicit Array4(const Tensor& x) : shape(x.shape()), elements(values(x)) {}
  explicit Array4(const Shape& of) : shape(of), elements(static_cast<std::size_t>(of.numel())) {}

  double& at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
    return elements[static_cast<std::size_t>(((b * shape[1] + h) * shape[2] + i) * shape[3] + j)];
  }

  Shape shape;
  std::vector<double> elements;
};

/// Calls f(b, h, g, i) for each batch entry, query head with its key/value head, and query.
template <class F>
void for_each_query(const Shape& query, const Shape& key, F f) {
  for (std::int64_t b = 0; b < query[0]; ++b) {
    for (std::int64_t h = 0; h < query[1]; ++h) {
      const std::int64_t g = h * key[1] / query[1];
      for (std::int64_t i = 0; i < query[2]; ++i) f(b, h, g, i);
    }
  }
}

inline Shape map_shape(const Shape& query, const Shape& key) {
  return {query[0], query[1], query[2], key[2]};
}

inline double scale_of(const Tensor& query, const AttentionOptions& options) {
  return options.scale ? *options.scale : 1 / std::sqrt(static_cast<double>(query.shape()[3]));
}

/// Scores after scale and masks; -inf where a key is hidden.
inline Array4 masked_scores(const Tensor& query, const Tensor& key,
                            const AttentionOptions& options) {
  const Shape shape = map_shape(query.shape(), key.shape());
  const std::int64_t from_cache = shape[3] - shape[2];
  Array4 q(query);
  Array4 k(key);
  Array4 scores(shape);
  const bool has_mask = options.additive_mask.defined();
  const bool has_padding = options.key_padding_mask.defined();
  Array4 mask(has_mask ? Array4(expand(options.additive_mask, shape)) : Array4(shape));
  const std::vector<double> padding =
      has_padding ? values(options.key_padding_mask) : std::vector<double>();
  for_each_query(query.shape(), key.shape(), [&](auto b, auto h, auto g, auto i) {
    for (std::int64_t j = 0; j < shape[3]; ++j) {
      double& score = scores.at(b, h, i, j);
      score = kHidden;
      if (options.causal && j > i + from_cache) continue;
      if (has_padding && padding[static_cast<std::size_t>(b * shape[3] + j)] == 0) continue;
      if (mask.at(b, h, i, j) == kHidden) continue;
      double product = 0;
      for (std::int64_t c = 0; c < q.shape[3]; ++c) product += q.at(b, h, i, c) * k.at(b, g, j, c);
      score = product * scale_of(query, options) + mask.at(b, h, i, j);
    }
  });
  return scores;
}

struct WeightMap {
  Array4 scores;
  Array4 w;
};

inline WeightMap weights_of(const Tensor& query, const Tensor& key,
                            const AttentionOptions& options) {
  WeightMap result{masked_scores(query, key, options),
                   Array4(map_shape(query.shape(), key.shape()))};
  const std::int64_t keys = key.shape()[2];
  for_each_query(query.shape(), key.shape(), [&](auto b, auto h, auto, auto i) {
    double largest = kHidden;
    for (std::int64_t j = 0; j < keys; ++j) {
      largest = std::fmax(largest, result.scores.at(b, h, i, j));
    }
    double total = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      const double score = result.scores.at(b, h, i, j);
      if (score != kHidden) total += std::exp(score - largest);
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      const double score = result.scores.at(b, h, i, j);
      if (score != kHidden) result.w.at(b, h, i, j) = std::exp(score - largest) / total;
    }
  });
  return result;
}

}  // namespace detail

/// Attention with the whole map of weights, in float64; operands and options as in
/// tensor/attention.h, 4-d only.

/// [B, H, T, S]: a key that is hidden, or whose score is -inf, has weight 0.
inline Tensor attention_weights(const Tensor& query, const Tensor& key,
                                const AttentionOptions& options) {
  const detail::WeightMap weights = detail::weights_of(query, key, options);
  return from_vector(weights.w.elements, weights.w.shape, query.dtype());
}

inline Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionOptions& options) {
  detail::WeightMap weights = detail::weights_of(query, key, options);
  detail::Array4 v(value);
  detail::Array4 y(Shape{query.shape()[0], query.shape()[1], query.shape()[2], value.shape()[3]});
  detail::for_each_query(query.shape(), key.shape(), [&](auto b, auto h, auto g, auto i) {
    for (std::int64_t j = 0; j < v.shape[2]; ++j) {
      if (weights.scores.at(b, h, i, j) == detail::kHidden) continue;
      for (std::int64_t c = 0; c < v.shape[3]; ++c) {
        y.at(b, h, i, c) += weights.w.at(b, h, i, j) * v.at(b, g, j, c);
      }
    }
  });
  return from_vector(y.elements, y.shape, query.dtype());
}

/// With the softmax's Jacobian written out: ds_ij = sum_l dw_il w_il ((l == j) - w_ij).
inline AttentionGrads attention_backward(const Tensor& query, const Tensor& key,
                                         const Tensor& value, const AttentionOptions& options,
                                         const Tensor& dy) {
  detail::WeightMap weights = detail::weights_of(query, key, options);
  detail::Array4 q(query), k(key), v(value), upstream(dy);
  detail::Array4 dq(query.shape()), dk(key.shape()), dv(value.shape());
  const double scale = detail::scale_of(query, options);
  const std::int64_t keys = key.shape()[2];
  detail::for_each_query(query.shape(), key.shape(), [&](auto b, auto h, auto g, auto i) {
    const auto hidden = [&](std::int64_t j) {
      return weights.scores.at(b, h, i, j) == detail::kHidden;
    };
    const auto w = [&](std::int64_t j) { return weights.w.at(b, h, i, j); };
    std::vector<double> dw(static_cast<std::size_t>(keys), 0.0);
    for (std::int64_t j = 0; j < keys; ++j) {
      if (hidden(j)) continue;
      for (std::int64_t c = 0; c < v.shape[3]; ++c) {
        dw[static_cast<std::size_t>(j)] += upstream.at(b, h, i, c) * v.at(b, g, j, c);
        dv.at(b, g, j, c) += w(j) * upstream.at(b, h, i, c);
      }
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      if (hidden(j)) continue;
      double ds = 0;
      for (std::int64_t l = 0; l < keys; ++l) {
        if (!hidden(l)) ds += dw[static_cast<std::size_t>(l)] * w(l) * ((l == j ? 1 : 0) - w(j));
      }
      for (std::int64_t c = 0; c < q.shape[3]; ++c) {
        dq.at(b, h, i, c) += scale * ds * k.at(b, g, j, c);
        dk.at(b, g, j, c) += scale * ds * q.at(b, h, i, c);
      }
    }
  });
  return {from_vector(dq.elements, dq.shape, query.dtype()),
          from_vector(dk.elements, dk.shape, query.dtype()),
          from_vector(dv.elements, dv.shape, query.dtype())};
}

}  // namespace gradwalk::reference
