#include "nn/feed_forward.h"

#include "autograd/elementwise.h"

namespace gradwalk::nn {

FeedForward::FeedForward(std::int64_t d_model, std::int64_t d_hidden, const Seed& seed,
                         const FeedForwardOptions& options)
    : kind_(options.kind),
      gelu_(options.gelu),
      up_proj_(d_model, d_hidden, seed / "up_proj", options.linear),
      down_proj_(d_hidden, d_model, seed / "down_proj", options.linear) {
  if (kind_ == FeedForwardKind::kSwiGlu) {
    gate_proj_ = std::make_unique<Linear>(d_model, d_hidden, seed / "gate_proj", options.linear);
    add_module("gate_proj", *gate_proj_);
  }
  add_module("up_proj", up_proj_);
  add_module("down_proj", down_proj_);
}

Variable FeedForward::operator()(const Variable& x) const {
  if (kind_ == FeedForwardKind::kGelu) return down_proj_(gelu(up_proj_(x), gelu_));
  return down_proj_(silu((*gate_proj_)(x)) * up_proj_(x));
}

}  // namespace gradwalk::nn
