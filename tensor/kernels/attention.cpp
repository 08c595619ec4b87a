#include "tensor/kernels/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

// One query at a time against a tile of keys: scores, then weights relative to the largest score so
// far; when a tile brings a larger one, what was summed up is scaled down to it. A key with the
// score -inf is passed over, so that nothing of it is read.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kKeyTile = 64;
constexpr double kHidden = -std::numeric_limits<double>::infinity();

using Tile = std::array<double, static_cast<std::size_t>(kKeyTile)>;

// In float64. Eight partial sums, so that the compiler may keep them in one vector.
template <class T>
double dot(const T* a, const T* b, std::int64_t n) {
  std::array<double, 8> parts{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::int64_t lane = 0; lane < 8; ++lane) {
      parts[static_cast<std::size_t>(lane)] +=
          static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  double rest = 0;
  for (; i < n; ++i) rest += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (const double part : parts) rest += part;
  return rest;
}

// sums += factor * row
template <class T>
void add_scaled(double factor, const T* row, std::int64_t n, double* sums) {
  for (std::int64_t i = 0; i < n; ++i) sums[i] += factor * static_cast<double>(row[i]);
}

// Keys from here on are hidden from query i by the causal mask.
template <class T>
std::int64_t visible_end(const AttentionHead<T>& head, std::int64_t i) {
  if (!head.causal) return head.keys;
  return std::clamp<std::int64_t>(i + head.keys - head.queries + 1, 0, head.keys);
}

// Scores of query i and the keys begin, ..., end - 1.
template <class T>
void score_tile(const AttentionHead<T>& head, std::int64_t i, std::int64_t begin, std::int64_t end,
                Tile& scores) {
  for (std::int64_t j = begin; j < end; ++j) {
    double& score = scores[static_cast<std::size_t>(j - begin)];
    const double added =
        head.added == nullptr
            ? 0
            : static_cast<double>(head.added[i * head.added_row + j * head.added_step]);
    const bool hidden =
        added == kHidden || (head.padding != nullptr && !head.padding[j * head.padding_step]);
    score = hidden ? kHidden : head.scale * dot(head.query[i], head.key[j], head.head_dim) + added;
  }
}

}  // namespace

template <class T>
void attention(const AttentionHead<T>& head, T* y, double* log_sum) {
  Tile scores;
  std::vector<double> sums(static_cast<std::size_t>(head.value_dim));
  for (std::int64_t i = 0; i < head.queries; ++i, y += head.value_dim) {
    double largest = kHidden;
    double total = 0;
    std::fill(sums.begin(), sums.end(), 0.0);
    const std::int64_t seen = visible_end(head, i);
    for (std::int64_t begin = 0; begin < seen; begin += kKeyTile) {
      const std::int64_t end = std::min(begin + kKeyTile, seen);
      score_tile(head, i, begin, end, scores);
      const double before = largest;
      for (std::int64_t j = begin; j < end; ++j) {
        const double score = scores[static_cast<std::size_t>(j - begin)];
        if (score > largest || score != score) largest = score;  // a NaN comes in and stays
      }
      if (largest == kHidden) continue;
      if (largest != before) {
        const double shrink = std::exp(before - largest);
        total *= shrink;
        for (double& sum : sums) sum *= shrink;
      }
      for (std::int64_t j = begin; j < end; ++j) {
        const double score = scores[static_cast<std::size_t>(j - begin)];
        if (score == kHidden) continue;
        const double weight = std::exp(score - largest);
        total += weight;
        add_scaled(weight, head.value[j], head.value_dim, sums.data());
      }
    }
    const bool none_seen = largest == kHidden;
    for (std::int64_t c = 0; c < head.value_dim; ++c) {
      y[c] = none_seen ? T{} : static_cast<T>(sums[static_cast<std::size_t>(c)] / total);
    }
    log_sum[i] = none_seen ? kHidden : largest + std::log(total);
  }
}

template <class T>
void attention_backward(const AttentionHead<T>& head, const T* y, const double* log_sum, Rows<T> dy,
                        T* dquery, double* dkey, double* dvalue) {
  Tile scores;
  std::vector<double> sums(static_cast<std::size_t>(head.head_dim));
  for (std::int64_t i = 0; i < head.queries; ++i, y += head.value_dim, dquery += head.head_dim) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const double mean = dot(dy[i], y, head.value_dim);  // of dy . value_j under the weights
    const std::int64_t seen = log_sum[i] == kHidden ? 0 : visible_end(head, i);
    for (std::int64_t begin = 0; begin < seen; begin += kKeyTile) {
      const std::int64_t end = std::min(begin + kKeyTile, seen);
      score_tile(head, i, begin, end, scores);
      for (std::int64_t j = begin; j < end; ++j) {
        const double score = scores[static_cast<std::size_t>(j - begin)];
        if (score == kHidden) continue;
        const double weight = std::exp(score - log_sum[i]);
        const double dweight = dot(dy[i], head.value[j], head.value_dim);
        const double dscore = head.scale * weight * (dweight - mean);
        add_scaled(weight, dy[i], head.value_dim, dvalue + j * head.value_dim);
        add_scaled(dscore, head.key[j], head.head_dim, sums.data());
        add_scaled(dscore, head.query[i], head.head_dim, dkey + j * head.head_dim);
      }
    }
    for (std::int64_t c = 0; c < head.head_dim; ++c) {
      dquery[c] = static_cast<T>(sums[static_cast<std::size_t>(c)]);
    }
  }
}

template void attention(const AttentionHead<float>&, float*, double*);
template void attention(const AttentionHead<double>&, double*, double*);
template void attention_backward(const AttentionHead<float>&, const float*, const double*,
                                 Rows<float>, float*, double*, double*);
template void attention_backward(const AttentionHead<double>&, const double*, const double*,
                                 Rows<double>, double*, double*, double*);

}  // namespace gradwalk::kernels
