#pragma once

#include <cstdint>

#include "autograd/trace.h"

namespace gradwalk::course {

/// Counts the multiply-adds of products (matmul, linear, attention) as they are computed in this
/// thread while it lives, from the sizes of each op's own operands. Gradients are not counted, nor
/// is what grows with the numbers of a tensor alone (norms, softmax, activations, look-ups).
///
/// Fused attention counts all T x S pairs of a query and a key, also those that a mask hides.
class ProductCount : public TraceObserver {
 public:
  ProductCount() : scope_(*this) {}

  std::int64_t multiply_adds() const { return multiply_adds_; }

  void on_forward(const ForwardStep& step) override;

 private:
  std::int64_t multiply_adds_ = 0;
  TraceScope scope_;
};

}  // namespace gradwalk::course
