#include "nn/norm.h"

#include <fmt/format.h>

#include "autograd/layer_norm.h"
#include "autograd/rms_norm.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

void check_features(const char* module, std::int64_t features) {
  if (features < 1) {
    throw_argument_error(module, "features >= 1", fmt::format("{}", features));
  }
}

class NoNorm : public Norm {
 public:
  Variable operator()(const Variable& x) const override { return x; }
};

}  // namespace

LayerNorm::LayerNorm(std::int64_t features, const NormOptions& options) : eps_(options.eps) {
  check_features("LayerNorm", features);
  if (!options.learned) return;
  weight_ = add_parameter("weight", ones({features}, options.dtype));
  bias_ = add_parameter("bias", zeros({features}, options.dtype));
}

Variable LayerNorm::operator()(const Variable& x) const {
  return layer_norm(x, weight_, bias_, eps_);
}

RmsNorm::RmsNorm(std::int64_t features, const NormOptions& options) : eps_(options.eps) {
  check_features("RmsNorm", features);
  if (options.learned) weight_ = add_parameter("weight", ones({features}, options.dtype));
}

Variable RmsNorm::operator()(const Variable& x) const { return rms_norm(x, weight_, eps_); }

std::unique_ptr<Norm> make_norm(NormKind kind, std::int64_t features, const NormOptions& options) {
  switch (kind) {
    case NormKind::kLayerNorm:
      return std::make_unique<LayerNorm>(features, options);
    case NormKind::kRmsNorm:
      return std::make_unique<RmsNorm>(features, options);
    case NormKind::kNone:
      break;
  }
  return std::make_unique<NoNorm>();
}

}  // namespace gradwalk::nn
