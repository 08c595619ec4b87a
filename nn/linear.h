#pragma once

#include "nn/init.h"
#include "nn/module.h"

namespace gradwalk::nn {

struct LinearOptions {
  bool bias = true;
  /// Of the weight; biases begin at 0.
  Init init = {InitScheme::kXavierUniform, 1};
  DType dtype = DType::kFloat32;
};

/// y = x W^T + b
///
/// Parameters: `weight` [out, in], `bias` [out].
class Linear : public Module {
 public:
  /// @throws std::invalid_argument unless in and out are positive
  Linear(std::int64_t in, std::int64_t out, const Seed& seed, const LinearOptions& options = {});

  /// x [..., in] to [..., out]. @throws ShapeError, std::invalid_argument as the op linear
  Variable operator()(const Variable& x) const;

  const Variable& weight() const { return weight_; }
  /// Undefined without one.
  const Variable& bias() const { return bias_; }

 private:
  Variable weight_;
  Variable bias_;
};

}  // namespace gradwalk::nn
