#pragma once

#include <memory>

#include "autograd/activation.h"
#include "nn/linear.h"

namespace gradwalk::nn {

enum class FeedForwardKind {
  kGelu,  ///< down(gelu(up(x))): Vaswani et al. 2017, eq. 2, with GELU (Hendrycks and Gimpel 2016)
  kSwiGlu,  ///< down(silu(gate(x)) * up(x)): Shazeer 2020, eq. 6
};

struct FeedForwardOptions {
  FeedForwardKind kind = FeedForwardKind::kGelu;
  GeluForm gelu = GeluForm::kErf;
  LinearOptions linear = {};
};

/// The layer that works on each position alone.
///
/// Parameters: those of `up_proj`, `down_proj` and, for SwiGLU, `gate_proj`.
class FeedForward : public Module {
 public:
  /// @throws std::invalid_argument unless both widths are positive
  FeedForward(std::int64_t d_model, std::int64_t d_hidden, const Seed& seed,
              const FeedForwardOptions& options = {});
  /// x [..., D] to [..., D]
  Variable operator()(const Variable& x) const;

 private:
  FeedForwardKind kind_;
  GeluForm gelu_;
  std::unique_ptr<Linear> gate_proj_;
  Linear up_proj_;
  Linear down_proj_;
};

}  // namespace gradwalk::nn
