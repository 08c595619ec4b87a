#pragma once

#include <cstdint>

#include "autograd/trace.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_09 {

/// What is added to scores [n, n] to hide the future: 0 up to the diagonal, `value` above it, nats.
Tensor future_mask(std::int64_t n, double value, DType dtype = DType::kFloat32);

/// Two attention layers on top of each other (x + y, no feed-forward; 32 numbers a word, 4 heads, 8
/// words), with the mask and without.
struct MaskEffect {
  double hidden = 0;        ///< largest weight of a hidden key, with the mask
  double future = 0;        ///< mean weight of the future without the mask, a share of each row
  double projections = 0;   ///< how far q, k, v of the first layer move, largest entry
  double renormalised = 0;  ///< masked weights against unmasked ones over the past / their sum
  double influence = 0;     ///< largest |d y_i / d x_j| of a later word j, first layer
  double second_layer = 0;  ///< how far k of the second layer moves, a share of its size
};
/// @param value  what is added to the scores of the future, nats
MaskEffect mask_effect(std::uint64_t seed, double value);

/// Weights [n, n] of queries and keys [n, 64] where `value` is added to the scores of the future
/// before they are divided by sqrt(64) = 8.
Tensor weights_masked_before(const Tensor& query, const Tensor& key, double value);
/// The same, added after the division, as it should be.
Tensor weights_masked_after(const Tensor& query, const Tensor& key, double value);
/// Mean over the rows of what is above the diagonal.
double leaked(const Tensor& weights);

/// Counts the numbers that ops read and write while it lives and that belong to maps of all pairs:
/// [.., n, n].
class MapTraffic : public TraceObserver {
 public:
  explicit MapTraffic(std::int64_t n) : n_(n), scope_(*this) {}
  std::int64_t numbers() const { return numbers_; }
  void on_forward(const ForwardStep& step) override;

 private:
  std::int64_t of_map(const Tensor& x) const;

  std::int64_t n_;
  std::int64_t numbers_ = 0;
  TraceScope scope_;
};

}  // namespace gradwalk::lesson_09
